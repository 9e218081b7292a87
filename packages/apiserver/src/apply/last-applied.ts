import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import { compare } from './compare.ts';
import type { Configuration } from './configuration.ts';
import { claimedFields } from './fields-of.ts';
import type { FieldTypes } from './field-types.ts';
import type { FieldSet } from './field-set.ts';
import { difference } from './field-set.ts';
import type { FieldManager } from './managed-fields.ts';
import { typedErrors } from './typed-errors.ts';

/** Annotation in which `kubectl apply` keeps what it applied, without `--server-side`. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the fields that `kubectl apply` wrote and that no client changed since, so that `kubectl apply --server-side` can
 * take them over. (Upstream: `lastAppliedManager`.)
 */
export function* allowedByLastApplied(
  types: FieldTypes,
  live: ApiObject | undefined,
  turn: Turn,
): Paused<FieldSet | undefined> {
  const text = live?.metadata.annotations?.[LAST_APPLIED];
  if (!live || !text) return undefined;
  const applied = parse(text);
  if (applied?.apiVersion !== types.apiVersion) return undefined;
  if ((yield* typedErrors(types.atom, applied, turn)).length > 0) return undefined;
  const { written, removed } = yield* compare(types.atom, applied, types.fromStored(live), turn);
  const claimed = yield* claimedFields(types.atom, applied, turn);
  return yield* difference(yield* difference(claimed, written, turn), removed, turn);
}

function parse(text: string): ApiObject | undefined {
  try {
    return JSON.parse(text) as ApiObject;
  } catch {
    return undefined;
  }
}

/** Updates the annotation after an apply by kubectl, if the object has it. (Upstream: `lastAppliedUpdater`.) */
export function withLastApplied({ name }: FieldManager, config: Configuration, object: ApiObject): ApiObject {
  // A configuration may set the metadata to null.
  const { annotations } = (object.metadata as ApiObject['metadata'] | null) ?? {};
  if (name !== 'kubectl' || !annotations?.[LAST_APPLIED]) return object;
  const { [LAST_APPLIED]: _, ...others } = config.metadata?.annotations ?? {};
  const applied = {
    ...config,
    metadata: { ...config.metadata, ...(config.metadata?.annotations && { annotations: others }) },
  };
  const text = `${JSON.stringify(sorted(applied))}\n`;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

/** Go writes the fields of a map in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, sorted(fields[name])]),
  );
}
