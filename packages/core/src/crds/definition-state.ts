import type { CrdManifest, CustomResourceDefinition, DeepReadonly } from '@mcr/client';
import { shortened } from '@mcr/client';
import type { ServedSchema } from './crd-schema.ts';
import { droppedField } from './dropped-field.ts';
import type { NarrowedField } from './narrowed-fields.ts';
import { narrowedFields } from './narrowed-fields.ts';

/** Annotation of a CRD with the revision that was installed last. */
export const REVISION_ANNOTATION = 'mcr.dev/crd-revision';

type Version = DeepReadonly<CustomResourceDefinition['spec']['versions'][number]>;

/** Changes that may lose data, see `EnsureCrdsOptions.allow`. */
export type LossyChange = 'narrowedSchema' | 'removedStoredVersion';

/** Whether a cluster serves a CRD. */
export type CrdState =
  /** It serves what is needed. */
  | { readonly type: 'served' }
  /** It was accepted, but is not served yet. */
  | { readonly type: 'wait'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string };

/** The next step for a CRD in one cluster. */
export type CrdStep = CrdState | { readonly type: 'apply' };

export interface CompareOptions {
  readonly install: boolean;
  /** Set if `install` is. */
  readonly revision: number | undefined;
  readonly allow: readonly LossyChange[];
}

/** Compares the CRD of a cluster with the one that is needed. */
export function compareCrd(
  wanted: DeepReadonly<CrdManifest>,
  found: DeepReadonly<CustomResourceDefinition> | undefined,
  { install, revision = 0, allow }: CompareOptions,
): CrdStep {
  const name = nameOf(wanted);
  if (!found) {
    return install ? { type: 'apply' } : refused(`CRD ${name} is missing: install it, or set the option "install"`);
  }
  const mismatch = identityMismatch(wanted, found);
  if (mismatch) return refused(`CRD ${name}: ${mismatch}`);
  if (!install) return checkServed(wanted, found);
  const newer = revisionOf(found);
  if (newer > revision) {
    const remedy = `the CRD has revision ${newer}, and this program has revision ${revision}, so update the program`;
    return checkServed(wanted, found, remedy);
  }
  const loss = lossOf(wanted, found, allow);
  return loss === undefined ? { type: 'apply' } : refused(`CRD ${name}: ${loss}`);
}

/**
 * Returns the state of a CRD that is not changed, or was just applied.
 *
 * @param remedy says what to do if the CRD lacks something.
 */
export function checkServed(
  wanted: DeepReadonly<CrdManifest>,
  found: DeepReadonly<CustomResourceDefinition>,
  remedy = 'update the CRD',
): CrdState {
  const name = nameOf(wanted);
  for (const version of wanted.spec.versions) {
    if (!version.served) continue;
    const served = found.spec.versions.find((each) => each.name === version.name);
    if (!served?.served) return refused(`CRD ${name} does not serve version ${version.name}: ${remedy}`);
    const dropped = droppedField(schemaOf(version), schemaOf(served));
    if (dropped !== undefined) {
      return refused(
        `CRD ${name} has no field ${dropped} in version ${version.name}, so the API server drops it: ${remedy}`,
      );
    }
  }
  const established = found.status?.conditions?.find(({ type }) => type === 'Established');
  if (established?.status === 'True') return { type: 'served' };
  const names = found.status?.conditions?.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  if (names) return refused(`CRD ${name}: names not accepted: ${names.message ?? names.reason ?? 'in use'}`);
  return { type: 'wait', reason: `CRD ${name} is not established yet` };
}

/** Returns the revision of an installed CRD, or -1 if it has none. */
export function revisionOf({ metadata }: DeepReadonly<Pick<CustomResourceDefinition, 'metadata'>>): number {
  const text = metadata.annotations?.[REVISION_ANNOTATION] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

/** Returns the version that API servers store. */
export function storageVersionOf({ spec }: DeepReadonly<CrdManifest>): string | undefined {
  return spec.versions.find(({ storage }) => storage)?.name;
}

export function nameOf({ metadata }: DeepReadonly<CrdManifest>): string {
  return metadata.name;
}

function identityMismatch(
  wanted: DeepReadonly<CrdManifest>,
  found: DeepReadonly<CustomResourceDefinition>,
): string | undefined {
  const parts = [
    ['scope', wanted.spec.scope, found.spec.scope],
    ['kind', wanted.spec.names.kind, found.spec.names.kind],
  ] as const;
  const wrong = parts.find(([, expected, actual]) => expected !== actual);
  if (!wrong) return undefined;
  const [field, expected, actual] = wrong;
  return `expected the ${field} ${expected}, found ${actual}: it cannot change, so delete the CRD or rename the kind`;
}

function lossOf(
  wanted: DeepReadonly<CrdManifest>,
  found: DeepReadonly<CustomResourceDefinition>,
  allow: readonly LossyChange[],
): string | undefined {
  const kept = new Set(wanted.spec.versions.map(({ name }) => name));
  const removed = found.status?.storedVersions?.find((version) => !kept.has(version));
  if (removed !== undefined && !allow.includes('removedStoredVersion')) {
    return `objects may be stored in version ${removed}, which is removed: migrate them first, or allow "removedStoredVersion"`;
  }
  if (allow.includes('narrowedSchema')) return undefined;
  for (const before of found.spec.versions) {
    const after = wanted.spec.versions.find(({ name }) => name === before.name);
    const narrowed = after ? narrowedFields(schemaOf(before), schemaOf(after)) : [];
    if (narrowed.length > 0) {
      return `version ${before.name} accepts fewer values than before (${textOf(narrowed)}): allow "narrowedSchema" if no stored object needs them`;
    }
  }
  return undefined;
}

function textOf(fields: readonly NarrowedField[]): string {
  return fields.map(({ path, change }) => `${path}: ${change}`).join(', ');
}

function schemaOf({ schema }: Version): ServedSchema {
  return schema?.openAPIV3Schema ?? {};
}

/** Shortens the reason, because it may have texts of the cluster. */
function refused(reason: string): CrdState {
  return { type: 'refused', reason: shortened(reason) };
}
