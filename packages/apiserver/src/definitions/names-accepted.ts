import { isDeepStrictEqual } from 'node:util';
import { now } from '../resources/timestamp.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { caBundleErrors } from './conversion-errors.ts';
import type { DefinitionNames } from './definition.ts';
import { specOf } from './definition.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

interface Status {
  readonly conditions?: readonly Condition[] | null;
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
}

function statusOf(definition: ApiObject): Status {
  return definition['status'] ?? {};
}

/**
 * Returns a definition with the status that upstream's controllers give it: names that no other definition of the group
 * has are accepted, and a definition whose names are all accepted is established. (Upstream: `pkg/controller/status` and
 * `pkg/controller/establish` of apiextensions-apiserver.)
 */
export function settledDefinition(definition: ApiObject, others: readonly ApiObject[]): ApiObject {
  const status = statusOf(definition);
  const { acceptedNames, conflict } = acceptNames(definition, others);
  const accepted: Condition = conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const conditions = [accepted, establishment(definition, conflict !== undefined)].map((condition) =>
    timed(
      condition,
      status.conditions?.find(({ type }) => type === condition.type),
    ),
  );
  const rest = (status.conditions ?? []).filter(({ type }) => !conditions.some((own) => own.type === type));
  const next = { ...status, conditions: [...conditions, ...rest], acceptedNames };
  return isDeepStrictEqual(next, status) ? definition : { ...definition, status: next };
}

function establishment(definition: ApiObject, conflict: boolean): Condition {
  const known = statusOf(definition).conditions?.find(({ type }) => type === 'Established');
  if (known?.status === 'True') return known;
  const type = 'Established';
  if (conflict) return known ?? { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const { caBundle } = specOf(definition).conversion?.webhook?.clientConfig ?? {};
  if (caBundle !== undefined && caBundleErrors(caBundle, '').length > 0) {
    const message = 'The conversion webhook CABundle is invalid';
    return { type, status: 'False', reason: 'InvalidCABundle', message };
  }
  const message = 'the initial names have been accepted';
  return { type, status: 'True', reason: 'InitialNamesAccepted', message };
}

function timed(condition: Condition, known: Condition | undefined): Condition {
  const { type, status, reason, message } = condition;
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : undefined;
  return { type, status, lastTransitionTime: lastTransitionTime ?? now(), reason, message };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

function acceptNames(
  definition: ApiObject,
  others: readonly ApiObject[],
): { readonly acceptedNames: DefinitionNames; readonly conflict: Conflict | undefined } {
  const { group, names = {} } = specOf(definition);
  const { acceptedNames: before = {} } = statusOf(definition);
  const used = others
    .filter((other) => specOf(other).group === group)
    .map((other) => statusOf(other).acceptedNames ?? {});
  const resources = new Set(used.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]));
  const kinds = new Set(used.flatMap(({ kind, listKind }) => [kind, listKind]));
  const accepted: Record<string, unknown> = { ...before };
  let conflict: Conflict | undefined;
  const claim = (field: keyof DefinitionNames, reason: string, taken: readonly string[]): void => {
    if (taken.length === 0) {
      if (names[field] === undefined) Reflect.deleteProperty(accepted, field);
      else accepted[field] = names[field];
      return;
    }
    const texts = taken.map((name) => `${JSON.stringify(name)} is already in use`);
    conflict = { reason, message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` };
  };
  const taken = (name: string | undefined, own: string | undefined, all: ReadonlySet<string | undefined>): string[] =>
    name !== undefined && name !== own && all.has(name) ? [name] : [];
  claim('plural', 'PluralConflict', taken(names.plural, before.plural, resources));
  claim('singular', 'SingularConflict', taken(names.singular, before.singular, resources));
  const shortNames = (names.shortNames ?? []).filter((name) => !before.shortNames?.includes(name));
  claim(
    'shortNames',
    'ShortNamesConflict',
    shortNames.filter((name) => resources.has(name)),
  );
  claim('kind', 'KindConflict', taken(names.kind, before.kind, kinds));
  claim('listKind', 'ListKindConflict', taken(names.listKind, before.listKind, kinds));
  claim('categories', '', []);
  return { acceptedNames: { plural: '', kind: '', ...accepted }, conflict };
}
