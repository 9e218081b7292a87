import { isDeepStrictEqual } from 'node:util';
import type { CrdManifest, CustomResourceDefinition, Kind, KubernetesObject } from '@mcr/client';
import { checkKind, CONVERTED_VERSIONS_ANNOTATION, kindText, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { KindDefinition } from '../kind/kind-definition.ts';
import { definitionOf } from '../kind/kind-definition.ts';
import { KindVersions } from '../versions/kind-versions.ts';

const service = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  path: z.string().optional(),
  port: z.int32().optional(),
});

const url = z.url({ protocol: /^https$/, error: 'expected a URL that begins with https://' });

const optionsSchema = z.strictObject({
  conversion: z
    .union([
      z.literal('external'),
      z.strictObject({ url, caBundle: z.string().optional() }),
      z.strictObject({ service, caBundle: z.string().optional() }),
    ])
    .optional(),
} satisfies Record<keyof CrdOptions, z.ZodType>);

/** API servers require it in groups of the Kubernetes community (API reference: `api-approved.kubernetes.io`). */
const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io';

type CrdVersion = CustomResourceDefinition['spec']['versions'][number];

/** Options of {@link crdOf}. */
export interface CrdOptions {
  /**
   * The webhook that converts objects between versions: a client configuration, or `external` if something else writes this
   * part of the definition. Required for a kind of several versions: without a webhook, the server drops the fields
   * that the other version does not have. With `external`, the definition serves the stored version, and versions with the same
   * schema. `ensureCrds` of `@mcr/core` serves the others in every cluster whose definition has a webhook.
   */
  readonly conversion?: ConversionClient | 'external';
}

/** How API servers reach a conversion webhook (API reference: `WebhookClientConfig`). */
export type ConversionClient = NonNullable<
  NonNullable<NonNullable<CustomResourceDefinition['spec']['conversion']>['webhook']>['clientConfig']
>;

/**
 * Returns the CustomResourceDefinition of a kind, or of all versions of a kind.
 *
 * @throws {TypeError} if the kind has no schema, because `defineKind` of `@mcr/client` declared it; or if the conversion
 * of several versions is not given.
 */
export function crdOf(kind: Kind<KubernetesObject> | KindVersions, options: CrdOptions = {}): CrdManifest {
  const { conversion } = parseOptions('crdOf', optionsSchema, options) as CrdOptions;
  if (kind instanceof KindVersions) {
    if (conversion === undefined) {
      throw new TypeError(
        `crdOf: ${kindText(kind.storage)} has several versions: set conversion to the webhook that converts them, or to "external"`,
      );
    }
    const manifest = crdOfVersions(kind.definitions, kind.definitions[0]);
    if (conversion === 'external') return beforeConversion(manifest);
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: conversion };
    return { ...manifest, spec: { ...manifest.spec, conversion: { strategy: 'Webhook', webhook } } };
  }
  checkKind('crdOf', kind);
  if (conversion !== undefined) {
    throw new TypeError(`crdOf: ${kindText(kind)} has one version: remove conversion, or use defineKindVersions`);
  }
  const definition = definitionOf(kind);
  if (!definition) {
    throw new TypeError(`crdOf: ${kindText(kind)} has no schema: define it with defineKind of @mcr/kinds`);
  }
  return crdOfVersions([definition], definition);
}

/** Returns a definition that loses no fields without a webhook, and names the versions that wait for the webhook. */
function beforeConversion(manifest: CrdManifest): CrdManifest {
  const { metadata, spec } = manifest;
  const stored = spec.versions.find(({ storage }) => storage);
  const waits = ({ schema }: CrdVersion): boolean => !isDeepStrictEqual(schema, stored?.schema);
  const waiting = spec.versions.filter(waits).map(({ name }) => name);
  if (waiting.length === 0) return manifest;
  return {
    ...manifest,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [CONVERTED_VERSIONS_ANNOTATION]: waiting.join(',') },
    },
    spec: { ...spec, versions: spec.versions.map((version) => ({ ...version, served: !waits(version) })) },
  };
}

/** @param storage the version that the server stores. */
function crdOfVersions(definitions: readonly KindDefinition[], storage: KindDefinition): CrdManifest {
  const { group, scope, names, approval } = storage;
  const { shortNames, categories, ...others } = names;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${group}`,
      ...(approval !== undefined && { annotations: { [APPROVAL_ANNOTATION]: approval } }),
    },
    spec: {
      group,
      scope,
      names: {
        ...others,
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories.length > 0 && { categories: [...categories] }),
      },
      versions: definitions.map((definition) => versionOf(definition, definition === storage)),
    },
  };
}

function versionOf(definition: KindDefinition, storage: boolean): CrdVersion {
  const { version, schema, hasStatus, scale, columns, selectableFields, deprecationWarning } = definition;
  // The model's lists are mutable. The copy belongs to the caller.
  const openAPIV3Schema = structuredClone(schema) as NonNullable<NonNullable<CrdVersion['schema']>['openAPIV3Schema']>;
  return {
    name: version,
    served: true,
    storage,
    ...(deprecationWarning !== undefined && { deprecated: true, deprecationWarning }),
    schema: { openAPIV3Schema },
    ...((hasStatus || scale) && {
      subresources: {
        ...(hasStatus && { status: {} }),
        ...(scale && { scale: { ...scale } }),
      },
    }),
    ...(columns.length > 0 && { additionalPrinterColumns: columns.map((column) => ({ ...column })) }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}
