import { createHash } from 'node:crypto';
import type { ApplyConfiguration, KubernetesObject } from '@mcr/client';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { FLEET_OWNER_ANNOTATION, FLEET_OWNER_LABEL, fleetOwnerLabel } from '../../objects/fleet-owner/fleet-owner.ts';
import type { DesiredObject } from './placement-options.ts';
import { PLACEMENT_LABEL } from './placement-record.ts';

/** Annotation of a placed object: the digest of what was applied last. */
export const APPLIED_ANNOTATION = 'fleet.mcr.dev/applied-digest';

/** The configuration that a placement applies to one object. */
export interface PlacedIntent {
  readonly configuration: ApplyConfiguration<KubernetesObject>;
  /** Digest of the configuration, in {@link APPLIED_ANNOTATION}. */
  readonly digest: string;
  /** The part of the configuration whose owners the API server tracks. */
  readonly tracked: Readonly<Record<string, unknown>>;
}

/** Marks an object to place with its owner, its placement and its digest. */
export function intentOf(
  { kind, configuration }: DesiredObject,
  { controller, owner }: { readonly controller: string; readonly owner: FleetOwner },
): PlacedIntent {
  // A configuration is plain data.
  const { metadata, ...declared } = structuredClone(configuration) as ApplyConfiguration<KubernetesObject>;
  const fields = kind.apiVersion === 'v1' && kind.kind === 'Secret' ? encoded(declared) : declared;
  const labels = { ...metadata.labels, [FLEET_OWNER_LABEL]: fleetOwnerLabel(owner), [PLACEMENT_LABEL]: controller };
  const annotations = { ...metadata.annotations, [FLEET_OWNER_ANNOTATION]: JSON.stringify(owner) };
  const digest = digestOf([kind.apiVersion, kind.kind, { ...fields, metadata: { ...metadata, labels, annotations } }]);
  const marked = { ...metadata, labels, annotations: { ...annotations, [APPLIED_ANNOTATION]: digest } };
  return {
    configuration: { ...fields, metadata: marked },
    digest,
    tracked: { ...without(fields, ['apiVersion', 'kind']), metadata: without(marked, ['name', 'namespace', 'uid']) },
  };
}

function without(map: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}

/** Moves `stringData` of a Secret to `data`, as the API server does, because it records no owner of `stringData`. */
function encoded(secret: object): object {
  const { stringData, ...fields } = secret as { readonly data?: unknown; readonly stringData?: unknown };
  if (typeof stringData !== 'object' || stringData === null) return fields;
  const texts = Object.entries(stringData as Readonly<Record<string, unknown>>).map(
    ([name, text]) => [name, Buffer.from(String(text)).toString('base64')] as const,
  );
  return { ...fields, data: { ...(fields.data as object | undefined), ...Object.fromEntries(texts) } };
}

/** Returns a digest of a JSON value, whose maps have no order. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
