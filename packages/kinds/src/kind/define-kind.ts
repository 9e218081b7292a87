import type { Kind, KubernetesObject, Scope } from '@mcr/client';
import { defineKind as declareKind, parseApiVersion, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { CelRule, StructuralSchema } from '../structural/structural-schema.ts';
import { ruleSchema } from '../walk/metadata.ts';
import { SchemaError } from '../walk/schema-error.ts';
import { structuralSchemaOf } from '../walk/structural-schema-of.ts';
import { withSource } from './kind-source.ts';
import { groupVersion, kindName, resourceName } from './names.ts';
import type { CheckedPath } from './path-types.ts';
import { columnSchema, crdColumn, type PrinterColumn } from './printer-columns.ts';
import { checkScale, checkSelectableFields, scaleSchema, selectableFieldsSchema } from './subresources.ts';

/** The schema of `spec` or `status`: a zod schema, or none. */
export type FieldSchema = z.ZodType | undefined;

/** `spec` and `status` of an object as it is read: with defaults. */
export type ReadFields<Spec extends FieldSchema, Status extends FieldSchema> = (Spec extends z.ZodType
  ? undefined extends z.output<Spec>
    ? { spec?: z.output<Spec> }
    : { spec: z.output<Spec> }
  : unknown) &
  (Status extends z.ZodType ? { status?: z.output<Status> } : unknown);

/** `spec` and `status` of an object as it is written: fields with defaults may be missing. */
export type WrittenFields<Spec extends FieldSchema, Status extends FieldSchema> = (Spec extends z.ZodType
  ? undefined extends z.input<Spec>
    ? { spec?: z.input<Spec> }
    : { spec: z.input<Spec> }
  : unknown) &
  (Status extends z.ZodType ? { status?: z.input<Status> } : unknown);

/** Objects of a kind as they are read. */
export type ReadObject<Spec extends FieldSchema, Status extends FieldSchema> = KubernetesObject &
  ReadFields<Spec, Status>;
/** Objects of a kind as they are written. */
export type WrittenObject<Spec extends FieldSchema, Status extends FieldSchema> = KubernetesObject &
  WrittenFields<Spec, Status>;

/** Options of {@link defineKind}. */
export interface KindOptions<
  Spec extends FieldSchema,
  Status extends FieldSchema,
  Columns extends readonly string[] = readonly string[],
  SpecReplicas extends string = string,
  StatusReplicas extends string = string,
  Selector extends string = string,
  Selectable extends readonly string[] = readonly string[],
  ApiVersion extends string = string,
> {
  /** Group and version, such as `shop.example.com/v1`. */
  readonly apiVersion: ApiVersion;
  /** Such as `Fleet`. */
  readonly kind: string;
  /** Name of the resource in URLs, such as `fleets`. */
  readonly plural: string;
  /** Whether objects are in namespaces. */
  readonly scope: Scope;
  /** Default: `kind` in lower case. */
  readonly singular?: string;
  /** Default: `kind` and `List`. */
  readonly listKind?: string;
  /** Names that `kubectl` accepts, too, such as `fl`. Default: none. */
  readonly shortNames?: readonly string[];
  /** Groups of resources for `kubectl get`, such as `all`. Default: none. */
  readonly categories?: readonly string[];
  /** Shown by `kubectl explain`. */
  readonly description?: string;
  /** Schema of `spec`, an object. Default: objects have no `spec`. */
  readonly spec?: Spec;
  /** Schema of `status`, an object. With it, the kind has the subresource `status`. Default: none. */
  readonly status?: Status;
  /** Rules of the whole object, in which `self` is the object. Of `metadata`, they see the name only. */
  readonly rules?: readonly CelRule[];
  /** Default: the name and the age. */
  readonly printerColumns?: {
    readonly [I in keyof Columns]: PrinterColumn<CheckedPath<ReadObject<Spec, Status>, Columns[I] & string>> & {
      readonly jsonPath: Columns[I];
    };
  };
  /** Paths of the subresource `scale`. Default: the kind has none. */
  readonly scale?: {
    readonly specReplicasPath: SpecReplicas & CheckedPath<ReadObject<Spec, Status>, SpecReplicas, number, 'number'>;
    readonly statusReplicasPath: StatusReplicas &
      CheckedPath<ReadObject<Spec, Status>, StatusReplicas, number, 'number'>;
    readonly labelSelectorPath?: Selector & CheckedPath<ReadObject<Spec, Status>, Selector, string, 'string'>;
  };
  /** Paths of fields that field selectors can use, such as `.spec.color`: at most 8. Default: none. */
  readonly selectableFields?: {
    readonly [I in keyof Selectable]: Selectable[I] &
      CheckedPath<
        ReadObject<Spec, Status>,
        Selectable[I] & string,
        string | number | boolean,
        'string, integer or boolean'
      >;
  };
  /** Marks the version as deprecated. Clients show this warning. Default: not deprecated. */
  readonly deprecationWarning?: string;
  /**
   * `webhook` allows refinements, `.refine()`, in the schemas. The client checks them before it sends an object. On the
   * server, a webhook has to. Default: refinements are refused.
   */
  readonly admission?: 'webhook';
}

declare const inputType: unique symbol;

/** A kind that {@link defineKind} created from schemas. */
export interface SchemaKind<
  T extends KubernetesObject,
  Input extends KubernetesObject = T,
  ApiVersion extends string = string,
> extends Kind<T> {
  readonly apiVersion: ApiVersion;
  readonly plural: string;
  readonly scope: Scope;
  /** Exists only for the type checker; never set. */
  readonly [inputType]?: Input;
}

/** Objects of a kind as they are written: fields with defaults may be missing. */
export type InputOf<K extends Kind<KubernetesObject>> =
  K extends SchemaKind<KubernetesObject, infer Input>
    ? Omit<Input, keyof KubernetesObject> &
        Pick<Partial<Input>, 'apiVersion' | 'kind'> & {
          metadata: Partial<KubernetesObject['metadata']>;
        }
    : never;

const schema = z.custom<z.ZodType>(
  (value) => typeof (Object(value) as { _zod?: unknown })._zod === 'object',
  'expected a schema of zod 4',
);

const optionsSchema = z.strictObject({
  apiVersion: groupVersion,
  kind: kindName,
  plural: resourceName,
  scope: z.enum(['Namespaced', 'Cluster'], 'expected "Namespaced" or "Cluster"'),
  singular: resourceName.optional(),
  listKind: kindName.optional(),
  shortNames: z.array(resourceName).max(20).optional(),
  categories: z.array(resourceName).max(20).optional(),
  description: z.string().max(10_000).optional(),
  spec: schema.optional(),
  status: schema.optional(),
  rules: z.array(ruleSchema).max(100).optional(),
  printerColumns: z.array(columnSchema).max(100).optional(),
  scale: scaleSchema.optional(),
  selectableFields: selectableFieldsSchema.optional(),
  deprecationWarning: z.string().min(1).max(256).optional(),
  admission: z.literal('webhook').optional(),
} satisfies Record<keyof KindOptions<FieldSchema, FieldSchema>, z.ZodType>);

/**
 * Defines a kind of your own from zod schemas: its TypeScript types, the check of objects before they are sent, and the
 * schema that the server validates with. `crdOf` returns the CustomResourceDefinition. For kinds of others, use `defineKind`
 * of `@mcr/client`.
 *
 * @throws {SchemaError} that names the field, if the server cannot check a part of a schema in the same way.
 * @throws {TypeError} that names the option, if one is missing, unknown or wrong.
 */
export function defineKind<
  const Spec extends FieldSchema = undefined,
  const Status extends FieldSchema = undefined,
  const Columns extends readonly string[] = readonly [],
  SpecReplicas extends string = string,
  StatusReplicas extends string = string,
  Selector extends string = string,
  const Selectable extends readonly string[] = readonly [],
  const ApiVersion extends string = string,
>(
  options: KindOptions<Spec, Status, Columns, SpecReplicas, StatusReplicas, Selector, Selectable, ApiVersion>,
): SchemaKind<ReadObject<Spec, Status>, WrittenObject<Spec, Status>, ApiVersion> {
  const parsed = parseOptions('defineKind', optionsSchema, options);
  const { apiVersion, kind, plural, scope, scale, selectableFields = [], printerColumns = [] } = parsed;
  const subject = `kind ${kind}`;
  const root = rootSchema(parsed, subject);
  const columns = printerColumns.map((column) => named(subject, () => crdColumn(present(column), root)));
  if (scale) named(subject, () => checkScale(scale, root));
  named(subject, () => checkSelectableFields(selectableFields, root));
  const { group, version } = parseApiVersion(apiVersion);
  const declared = declareKind<ReadObject<Spec, Status>>({
    apiVersion,
    kind,
    plural,
    scope,
    schema: objectSchema(parsed) as z.ZodType<ReadObject<Spec, Status>>,
  });
  return withSource(
    { ...declared, apiVersion: options.apiVersion, plural, scope },
    {
      group,
      version,
      scope,
      names: {
        kind,
        listKind: parsed.listKind ?? `${kind}List`,
        plural,
        singular: parsed.singular ?? kind.toLowerCase(),
        shortNames: parsed.shortNames ?? [],
        categories: parsed.categories ?? [],
      },
      schema: root,
      hasStatus: parsed.status !== undefined,
      columns,
      scale,
      selectableFields,
      deprecationWarning: parsed.deprecationWarning,
    },
  );
}

type Parsed = z.infer<typeof optionsSchema>;

/** Adds the kind to the message of an error. */
function named<Value>(subject: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError) throw new TypeError(`${subject}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Removes options that are `undefined`. */
function present(column: z.infer<typeof columnSchema>): PrinterColumn {
  return JSON.parse(JSON.stringify(column)) as PrinterColumn;
}

function rootSchema({ spec, status, rules, description, admission }: Parsed, subject: string): StructuralSchema {
  const options = { subject, refinements: admission ?? 'refuse' } as const;
  const parts = Object.entries({ spec, status }).flatMap(([name, part]) =>
    part ? [[name, objectPart(structuralSchemaOf(part, name, options), name, subject)] as const] : [],
  );
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...Object.fromEntries(parts),
    },
    ...(spec && spec._zod.optin === undefined && { required: ['spec'] }),
    ...(rules && rules.length > 0 && { 'x-kubernetes-validations': rules as CelRule[] }),
  };
}

function objectPart(part: StructuralSchema, name: string, subject: string): StructuralSchema {
  if (part.type === 'object' && !part.nullable) return part;
  const found = part.nullable ? 'a schema that allows null' : `a schema of type ${part.type ?? 'any'}`;
  throw new SchemaError(subject, name, `expected the schema of an object, found ${found}`, 'use z.object({ … })');
}

/** Checks whole objects on the client. */
function objectSchema({ spec, status }: Parsed): z.ZodType {
  return z.object({ ...(spec && { spec }), ...(status && { status: z.optional(status) }) });
}
