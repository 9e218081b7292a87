import type { ScalePaths, StructuralSchema } from '@mcr/kinds';
import * as z from 'zod';
import { canonicalRoot } from './canonical-schema.ts';

/** A CustomResourceDefinition, as far as modules are written from it. */
export interface Definition {
  /** File and document, or context, for errors. */
  readonly source: string;
  /** Such as `certificates.cert-manager.io`. */
  readonly name: string;
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: DefinitionNames;
  /** The annotation `api-approved.kubernetes.io`. */
  readonly approval: string | undefined;
  /** Whether a webhook converts objects between versions. */
  readonly isConverted: boolean;
  /** The served versions, in the order of the definition. */
  readonly versions: readonly DefinitionVersion[];
}

/** A served version of a definition. */
export interface DefinitionVersion {
  /** Such as `v1`. */
  readonly name: string;
  readonly isStored: boolean;
  readonly deprecationWarning: string | undefined;
  /** Schema of the whole object, in canonical form. */
  readonly schema: StructuralSchema;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly DefinitionColumn[];
  readonly selectableFields: readonly string[];
}

/** Names of the kind of a definition (API reference: `CustomResourceDefinitionNames`). */
export interface DefinitionNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly listKind?: string | undefined;
  readonly shortNames?: readonly string[] | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
}

/** A column that `kubectl get` prints (API reference: `CustomResourceColumnDefinition`). */
export interface DefinitionColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
}

const namesSchema = z.object({
  kind: z.string().regex(/^[A-Z][A-Za-z0-9]{0,62}$/, 'expected a name in CamelCase of at most 63 letters and digits'),
  plural: z
    .string()
    .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a name in lower case of at most 63 characters'),
  singular: z.string().optional(),
  listKind: z.string().optional(),
  shortNames: z.array(z.string()).nullish(),
  categories: z.array(z.string()).nullish(),
});

const columnSchema = z.object({
  name: z.string(),
  type: z.string(),
  jsonPath: z.string(),
  format: z.string().optional(),
  description: z.string().optional(),
  priority: z.number().optional(),
});

const versionSchema = z.object({
  name: z.string().regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a name such as "v1"'),
  served: z.boolean(),
  storage: z.boolean(),
  deprecated: z.boolean().optional(),
  deprecationWarning: z.string().optional(),
  schema: z.object({ openAPIV3Schema: z.unknown() }),
  subresources: z
    .object({
      status: z.unknown().optional(),
      scale: z
        .object({
          specReplicasPath: z.string(),
          statusReplicasPath: z.string(),
          labelSelectorPath: z.string().optional(),
        })
        .optional(),
    })
    .nullish(),
  additionalPrinterColumns: z.array(columnSchema).nullish(),
  selectableFields: z.array(z.object({ jsonPath: z.string() })).nullish(),
});

const definitionSchema = z.object({
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).nullish() }),
  spec: z.object({
    group: z
      .string()
      .max(253)
      .regex(
        /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
        'expected a group such as "example.com"',
      ),
    scope: z.enum(['Namespaced', 'Cluster']),
    names: namesSchema,
    conversion: z.object({ strategy: z.string() }).nullish(),
    versions: z
      .array(versionSchema)
      .min(1)
      .max(100)
      .refine((versions) => new Set(versions.map(({ name }) => name)).size === versions.length, {
        error: 'expected versions with different names',
      }),
  }),
});

const PATH = 'spec.versions';

/**
 * Checks a CustomResourceDefinition.
 *
 * @param source file and document, or context, for errors.
 * @throws {Error} that names the source and the field.
 */
export function parseDefinition(object: unknown, source: string): Definition {
  const { apiVersion, kind } = Object(object) as { readonly apiVersion?: unknown; readonly kind?: unknown };
  if (kind !== 'CustomResourceDefinition') {
    throw new Error(`${source}: kind: expected a CustomResourceDefinition, found ${shown(kind)}`);
  }
  if (apiVersion !== 'apiextensions.k8s.io/v1') {
    throw new Error(
      `${source}: apiVersion: expected apiextensions.k8s.io/v1, found ${shown(apiVersion)}: Kubernetes serves no other version since 1.22: convert the definition`,
    );
  }
  const { success, data, error } = definitionSchema.safeParse(object);
  if (!success) {
    const [issue] = error.issues;
    const path =
      issue?.path
        .map(String)
        .join('.')
        .replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]') ?? '';
    throw new Error(`${source}: ${path}: ${lowerFirst(issue?.message ?? 'invalid')}`);
  }
  const { group, scope, names, conversion, versions } = data.spec;
  const { annotations } = data.metadata;
  return {
    source,
    name: `${names.plural}.${group}`,
    group,
    scope,
    names,
    // API servers accept an empty annotation in other groups.
    approval: annotations?.['api-approved.kubernetes.io'] || undefined,
    isConverted: conversion?.strategy === 'Webhook',
    versions: versions.flatMap((version, index) =>
      version.served
        ? [versionOf(version, `${source}: ${PATH}[${index}]`, `${group}/${version.name} ${names.kind}`)]
        : [],
    ),
  };
}

function versionOf(version: z.infer<typeof versionSchema>, path: string, subject: string): DefinitionVersion {
  const { name, storage, deprecated = false, deprecationWarning, subresources, selectableFields } = version;
  const { labelSelectorPath, specReplicasPath = '', statusReplicasPath = '' } = subresources?.scale ?? {};
  const paths = { specReplicasPath, statusReplicasPath };
  return {
    name,
    isStored: storage,
    // The text that servers add.
    deprecationWarning: deprecated ? (deprecationWarning ?? `${subject} is deprecated`) : undefined,
    schema: canonicalRoot(version.schema.openAPIV3Schema, `${path}.schema.openAPIV3Schema`),
    hasStatus: subresources?.status !== undefined && subresources.status !== null,
    scale: subresources?.scale && { ...paths, ...(labelSelectorPath !== undefined && { labelSelectorPath }) },
    columns: version.additionalPrinterColumns ?? [],
    selectableFields: (selectableFields ?? []).map(({ jsonPath }) => jsonPath),
  };
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
