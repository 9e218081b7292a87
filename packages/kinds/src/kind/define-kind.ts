import type { CelRule, Kind, KubernetesObject, Scope } from '@mcr/client';
import { defineKind as declareKind, parseApiVersion, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { Exact } from './exact.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { ruleSchema } from '../walk/metadata.ts';
import { SchemaError } from '../walk/schema-error.ts';
import { structuralSchemaOf } from '../walk/structural-schema-of.ts';
import { withDefinition } from './kind-definition.ts';
import { groupVersion, kindName, resourceName } from './names.ts';
import type { CheckedPath } from './path-types.ts';
import { columnSchema, crdColumn, type PrinterColumn } from './printer-columns.ts';
import { checkScale, checkSelectableFields, scaleSchema, selectableFieldsSchema } from './subresources.ts';

/** The schema of `spec` or `status`: a zod schema, or none. */
export type FieldSchema = z.ZodType | undefined;

/** Fields of an object as it is read: with defaults. */
export type ReadFields<
  Spec extends FieldSchema,
  Status extends FieldSchema,
  Fields extends FieldSchema = undefined,
> = (Spec extends z.ZodType
  ? undefined extends z.output<Spec>
    ? { spec?: Exact<NonNullable<z.output<Spec>>> }
    : { spec: Exact<z.output<Spec>> }
  : unknown) &
  (Status extends z.ZodType ? { status?: Exact<z.output<Status>> } : unknown) &
  (Fields extends z.ZodType ? Exact<z.output<Fields>> : unknown);

/** Fields of an object in a write: fields with defaults may be missing. */
export type WrittenFields<
  Spec extends FieldSchema,
  Status extends FieldSchema,
  Fields extends FieldSchema = undefined,
> = (Spec extends z.ZodType
  ? undefined extends z.input<Spec>
    ? { spec?: z.input<Spec> }
    : { spec: z.input<Spec> }
  : unknown) &
  (Status extends z.ZodType ? { status?: z.input<Status> } : unknown) &
  (Fields extends z.ZodType ? z.input<Fields> : unknown);

/** Objects of a kind as they are read. */
export type ReadObject<
  Spec extends FieldSchema,
  Status extends FieldSchema,
  Fields extends FieldSchema = undefined,
> = KubernetesObject & ReadFields<Spec, Status, Fields>;
/** Objects of a kind as they are written. */
export type WrittenObject<
  Spec extends FieldSchema,
  Status extends FieldSchema,
  Fields extends FieldSchema = undefined,
> = KubernetesObject & WrittenFields<Spec, Status, Fields>;

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
  Fields extends FieldSchema = FieldSchema,
> {
  /** Group and version, such as `shop.example.com/v1`. */
  readonly apiVersion: ApiVersion;
  /** Such as `Backup`. */
  readonly kind: string;
  /** Name of the resource in URLs, such as `backups`. */
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
  /**
   * The annotation `api-approved.kubernetes.io`: the URL of the review, or a reason that starts with `unapproved`, at most
   * 2,048 characters. API servers require it in the groups `k8s.io` and `kubernetes.io`, and groups below them. Default: none.
   */
  readonly approval?: string;
  /** Shown by `kubectl explain`. */
  readonly description?: string;
  /** Schema of `spec`, an object. Default: objects have no `spec`. */
  readonly spec?: Spec;
  /** Schema of `status`, an object. With it, the kind has the subresource `status`. Default: none. */
  readonly status?: Status;
  /**
   * Schema of other fields of the object, such as `data`, an object. The API conventions have no other fields than `spec` and
   * `status`: use this for third-party definitions. Default: none.
   */
  readonly fields?: Fields;
  /** Schema of the `name` and `generateName` in `metadata`. The server checks it, and the client does not. Default: none. */
  readonly metadata?: z.ZodType;
  /** Whether the kind has the subresource `status`. Default: whether it has a `status`. */
  readonly statusSubresource?: boolean;
  /** Rules of the whole object, in which `self` is the object. Of `metadata`, they see the name only. */
  readonly rules?: readonly CelRule[];
  /** Default: the name and the age. */
  readonly printerColumns?: {
    readonly [I in keyof Columns]: PrinterColumn<CheckedPath<ReadObject<Spec, Status, Fields>, Columns[I] & string>> & {
      readonly jsonPath: Columns[I];
    };
  };
  /** Paths of the subresource `scale`. Default: the kind has none. */
  readonly scale?: {
    readonly specReplicasPath: SpecReplicas &
      CheckedPath<ReadObject<Spec, Status, Fields>, SpecReplicas, number, 'number'>;
    readonly statusReplicasPath: StatusReplicas &
      CheckedPath<ReadObject<Spec, Status, Fields>, StatusReplicas, number, 'number'>;
    readonly labelSelectorPath?: Selector & CheckedPath<ReadObject<Spec, Status, Fields>, Selector, string, 'string'>;
  };
  /** Paths of fields that field selectors can use, such as `.spec.color`: at most 8. Default: none. */
  readonly selectableFields?: {
    readonly [I in keyof Selectable]: Selectable[I] &
      CheckedPath<
        ReadObject<Spec, Status, Fields>,
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
  approval: z.string().min(1).max(2_048).optional(),
  description: z.string().max(10_000).optional(),
  spec: schema.optional(),
  status: schema.optional(),
  fields: schema.optional(),
  metadata: schema.optional(),
  statusSubresource: z.boolean().optional(),
  rules: z.array(ruleSchema).max(100).optional(),
  printerColumns: z.array(columnSchema).max(100).optional(),
  scale: scaleSchema.optional(),
  selectableFields: selectableFieldsSchema.optional(),
  deprecationWarning: z.string().min(1).max(256).optional(),
  admission: z.literal('webhook').optional(),
} satisfies Record<keyof KindOptions<FieldSchema, FieldSchema>, z.ZodType>);

/**
 * Defines a kind of your own from zod schemas: its TypeScript types, the check of objects before they are sent, and the
 * schema that the server validates with. `crdOf` returns the CustomResourceDefinition. For third-party kinds, use `defineKind`
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
  const Fields extends FieldSchema = undefined,
>(
  options: KindOptions<Spec, Status, Columns, SpecReplicas, StatusReplicas, Selector, Selectable, ApiVersion, Fields>,
): SchemaKind<ReadObject<Spec, Status, Fields>, WrittenObject<Spec, Status, Fields>, ApiVersion> {
  const parsed = parseOptions('defineKind', optionsSchema, options);
  const { apiVersion, kind, plural, scope, scale, selectableFields = [], printerColumns = [] } = parsed;
  const subject = `kind ${kind}`;
  const root = rootSchema(parsed, subject);
  const columns = printerColumns.map((column) =>
    named(`${subject}: printerColumns`, () => crdColumn(withoutUndefined(column), root)),
  );
  if (scale) named(subject, () => checkScale(scale, root));
  named(subject, () => checkSelectableFields(selectableFields, root));
  const { group, version } = parseApiVersion(apiVersion);
  const declared = declareKind<ReadObject<Spec, Status, Fields>>({
    apiVersion,
    kind,
    plural,
    scope,
    schema: objectSchema(parsed) as z.ZodType<ReadObject<Spec, Status, Fields>>,
  });
  return withDefinition(
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
      approval: parsed.approval,
      schema: root,
      hasStatus: parsed.statusSubresource ?? parsed.status !== undefined,
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

/** Returns a copy without the options that are `undefined`. */
function withoutUndefined(column: z.infer<typeof columnSchema>): PrinterColumn {
  return JSON.parse(JSON.stringify(column)) as PrinterColumn;
}

function rootSchema(parsed: Parsed, subject: string): StructuralSchema {
  const { spec, status, metadata, rules, description, admission } = parsed;
  const options = { subject, refinements: admission ?? 'refuse' } as const;
  const structural = (part: z.ZodType, name: string): StructuralSchema =>
    objectPart(structuralSchemaOf(part, name, options), name, subject);
  if (parsed.fields && !(parsed.fields instanceof z.ZodObject)) {
    throw new SchemaError(subject, 'fields', 'expected the schema of an object', 'use z.object({ … })');
  }
  const others = parsed.fields ? structural(parsed.fields, 'fields') : {};
  const { properties = {}, required = [], ...keywords } = others;
  const reserved = Object.keys(properties).find((name) => isTaken(name, parsed));
  if (reserved !== undefined) {
    const remedy = OBJECT_FIELDS.includes(reserved) ? 'remove it' : `use the option ${reserved} only`;
    throw new SchemaError(subject, `fields.${reserved}`, 'the object has this field already', remedy);
  }
  const allRequired = [...(spec && spec._zod.optin === undefined ? ['spec'] : []), ...required];
  return {
    ...keywords,
    type: 'object',
    ...(description !== undefined && { description }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: metadata ? structural(metadata, 'metadata') : { type: 'object' },
      ...(spec && { spec: structural(spec, 'spec') }),
      ...(status && { status: structural(status, 'status') }),
      ...properties,
    },
    ...(allRequired.length > 0 && { required: allRequired }),
    ...(rules && rules.length > 0 && { 'x-kubernetes-validations': rules as CelRule[] }),
  };
}

/** Reports whether a field cannot be one of `fields`. */
function isTaken(name: string, { spec, status }: Parsed): boolean {
  const isOption = (name === 'spec' && spec !== undefined) || (name === 'status' && status !== undefined);
  return isOption || OBJECT_FIELDS.includes(name);
}

/** Fields that every object has. */
const OBJECT_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

function objectPart(part: StructuralSchema, name: string, subject: string): StructuralSchema {
  if (part.type === 'object' && !part.nullable) return part;
  const found = part.nullable ? 'a schema that allows null' : `a schema of type ${part.type ?? 'any'}`;
  throw new SchemaError(subject, name, `expected the schema of an object, found ${found}`, 'use z.object({ … })');
}

/** Checks whole objects on the client. */
function objectSchema({ spec, status, fields }: Parsed): z.ZodType {
  const parts = { ...(spec && { spec }), ...(status && { status: z.optional(status) }) };
  return fields instanceof z.ZodObject ? fields.safeExtend(parts) : z.object(parts);
}
