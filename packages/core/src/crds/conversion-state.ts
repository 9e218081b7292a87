import type { CrdManifest, CustomResourceDefinition, DeepReadonly } from '@mcr/client';
import { CONVERTED_VERSIONS_ANNOTATION } from '@mcr/client';
import { isDeepStrictEqual } from 'node:util';
import { nameOf, storageVersionOf } from './definition-state.ts';

/** Returns a copy that serves the versions that {@link CONVERTED_VERSIONS_ANNOTATION} names, without the annotation. */
export function afterConversion({ metadata, spec, ...rest }: DeepReadonly<CrdManifest>): DeepReadonly<CrdManifest> {
  const { [CONVERTED_VERSIONS_ANNOTATION]: names = '', ...annotations } = metadata.annotations ?? {};
  const waiting = names.split(',');
  const versions = spec.versions.map((version) =>
    waiting.includes(version.name) ? { ...version, served: true } : version,
  );
  return structuredClone({ ...rest, metadata: { ...metadata, annotations }, spec: { ...spec, versions } });
}

/**
 * Returns the part of a CRD that a cluster can serve before something else writes `spec.conversion`: the versions
 * that it serves already, without a change of the stored one. In a new CRD, that is the storage version. Without a webhook, an
 * API server drops the fields that the schema of another version lacks.
 *
 * @returns `undefined` if there is nothing to wait for: the versions have the same schema, the CRD has a conversion
 * of its own, or the cluster has a conversion webhook.
 */
export function beforeConversion(
  wanted: DeepReadonly<CrdManifest>,
  found: DeepReadonly<CustomResourceDefinition> | undefined,
): DeepReadonly<CrdManifest> | undefined {
  const { conversion, versions } = wanted.spec;
  if (conversion || found?.spec.conversion?.strategy === 'Webhook' || haveSameSchema(versions)) return undefined;
  const known = found?.spec.versions ?? [];
  const stored = known.find(({ storage }) => storage)?.name;
  const kept = versions.filter(({ name }) => known.some((version) => version.name === name));
  const storage = kept.find(({ name }) => name === stored)?.name ?? kept[0]?.name ?? storageVersionOf(wanted);
  const remaining = kept.length > 0 ? kept : versions.filter(({ name }) => name === storage);
  const isServed = (name: string): boolean => known.find((version) => version.name === name)?.served ?? true;
  const reduced = remaining.map((version) => ({
    ...version,
    served: version.served && isServed(version.name),
    storage: version.name === storage,
  }));
  return { ...wanted, spec: { ...wanted.spec, versions: reduced } };
}

/** A cluster serves only a part of a CRD until something writes the conversion. */
export class ConversionMissingError extends Error {
  override readonly name = 'ConversionMissingError';
}

export function conversionMissing(
  wanted: DeepReadonly<CrdManifest>,
  served: DeepReadonly<CrdManifest>,
): ConversionMissingError {
  const names = served.spec.versions.flatMap((version) => (version.served ? [version.name] : [])).join(', ');
  return new ConversionMissingError(
    `CRD ${nameOf(wanted)} waits for the conversion webhook: it serves ${names} only until spec.conversion has a webhook: run installWebhooks with the conversion of the kind, or pass crdOf the webhook`,
  );
}

function haveSameSchema([first, ...others]: DeepReadonly<CrdManifest>['spec']['versions']): boolean {
  const schemaOf = (version: typeof first) => version?.schema?.openAPIV3Schema;
  return others.every((version) => isDeepStrictEqual(schemaOf(version), schemaOf(first)));
}
