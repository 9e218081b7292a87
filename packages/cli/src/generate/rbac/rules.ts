import type { ProjectPermission } from '../../project/project.ts';

/** A rule of a role, and why the program needs it. */
export interface Rule {
  /** Fields of a `PolicyRule`. */
  readonly policy: {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  };
  readonly comments: readonly string[];
}

/** The verbs of one resource, or of some of its objects. */
interface Grant {
  readonly group: string;
  readonly resource: string;
  /** Sorted; empty for all objects. */
  readonly names: readonly string[];
  readonly verbs: Set<string>;
  readonly reasons: Set<string>;
}

const ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** Verbs by which an account gets more permissions than its roles have. */
const POWERFUL: Readonly<Record<string, string>> = {
  '*': 'all verbs, those that Kubernetes will add included',
  escalate: 'escalate: can give itself permissions that it does not have',
  bind: 'bind: can give itself the permissions of any role that it may bind',
  impersonate: 'impersonate: can act as other users',
};

/**
 * Merges permissions into rules: one for each group, set of verbs and set of names. It grants nothing that no permission
 * has. The order does not depend on the order of the permissions.
 */
export function rulesOf(permissions: readonly ProjectPermission[]): Rule[] {
  const merged = new Map<string, Grant[]>();
  for (const grant of withoutRepetition(grantsOf(permissions))) {
    if (grant.verbs.size === 0) continue;
    const key = JSON.stringify([grant.group, sortedVerbs(grant.verbs), grant.names]);
    merged.set(key, [...(merged.get(key) ?? []), grant]);
  }
  return [...merged.values()].map((grants) => ruleOf(grants)).sort(byPlace);
}

function grantsOf(permissions: readonly ProjectPermission[]): Grant[] {
  const grants = new Map<string, Grant>();
  for (const { group, resource: plural, subresource, names = [], verbs, neededBy } of permissions) {
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const sorted = [...new Set(names)].sort();
    const key = JSON.stringify([group, resource, sorted]);
    const grant: Grant = grants.get(key) ?? { group, resource, names: sorted, verbs: new Set(), reasons: new Set() };
    grants.set(key, grant);
    for (const verb of verbs) grant.verbs.add(verb);
    grant.reasons.add(neededBy);
  }
  return [...grants.values()];
}

/** Removes the verbs of named objects that all objects have, and the verbs beside `*`. */
function withoutRepetition(grants: readonly Grant[]): readonly Grant[] {
  for (const { verbs } of grants) {
    if (!verbs.has('*')) continue;
    verbs.clear();
    verbs.add('*');
  }
  const unlimited = grants.filter(({ names }) => names.length === 0);
  for (const grant of grants) {
    const all = unlimited.find(({ group, resource }) => group === grant.group && resource === grant.resource);
    if (all === undefined || all === grant) continue;
    const repeated = [...grant.verbs].filter((verb) => all.verbs.has(verb) || all.verbs.has('*'));
    if (repeated.length === 0) continue;
    for (const verb of repeated) grant.verbs.delete(verb);
    for (const reason of grant.reasons) all.reasons.add(reason);
  }
  return grants;
}

function ruleOf(grants: readonly Grant[]): Rule {
  const sorted = [...grants].sort((left, right) => compare(left.resource, right.resource));
  const [{ group, names, verbs } = { group: '', names: [], verbs: new Set<string>() }] = sorted;
  const words = sortedVerbs(verbs);
  return {
    policy: {
      apiGroups: [group],
      resources: sorted.map(({ resource }) => resource),
      ...(names.length > 0 && { resourceNames: names }),
      verbs: words,
    },
    comments: [...reasonsOf(sorted), ...wildcardsOf(sorted), ...words.flatMap((verb) => POWERFUL[verb] ?? [])],
  };
}

/** Says what the wildcards of a rule allow, besides those of its verbs. */
function wildcardsOf(grants: readonly Grant[]): string[] {
  const isAnyGroup = grants.some(({ group }) => group === '*');
  const ofResources = grants.flatMap(({ resource }) => {
    if (resource === '*') return 'all resources, those that will be added included';
    return resource.startsWith('*/') ? `${resource}: this subresource of all resources` : [];
  });
  return [...(isAnyGroup ? ['all groups, those that will be added included'] : []), ...ofResources];
}

/** Names the resource of a reason if the rule has several ones. */
function reasonsOf(grants: readonly Grant[]): string[] {
  return grants.flatMap(({ resource, reasons }) =>
    [...reasons].sort().map((reason) => (grants.length === 1 ? reason : `${resource}: ${reason}`)),
  );
}

function sortedVerbs(verbs: ReadonlySet<string>): string[] {
  const place = (verb: string): number => (ORDER.includes(verb) ? ORDER.indexOf(verb) : ORDER.length);
  return [...verbs].sort((left, right) => place(left) - place(right) || compare(left, right));
}

function byPlace(left: Rule, right: Rule): number {
  const keyOf = ({ policy: { apiGroups, resources, resourceNames = [], verbs } }: Rule): string =>
    [apiGroups, resources, resourceNames, verbs].map((words) => words.join()).join('\0');
  return compare(keyOf(left), keyOf(right));
}

/** Compares by code points, which does not depend on the language of the machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
