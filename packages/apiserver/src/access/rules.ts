import * as z from 'zod';
import { selects } from '../resources/validation/selector.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';
import { serviceAccountUser } from './user.ts';

const texts = z.array(z.string()).nullish();

const rule = z.object({
  verbs: texts,
  apiGroups: texts,
  resources: texts,
  resourceNames: texts,
  nonResourceURLs: texts,
});

/** A rule of a role: verbs on resources or paths. */
export type Rule = z.infer<typeof rule>;

const role = z.object({
  rules: z.array(rule).nullish(),
  aggregationRule: z.object({ clusterRoleSelectors: z.array(z.unknown()).nullish() }).nullish(),
});
type Role = z.infer<typeof role>;

const NO_RULES: Role = {};

const subject = z.object({ kind: z.string(), name: z.string(), namespace: z.string().nullish() });
type Subject = z.infer<typeof subject>;

const binding = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(subject).nullish(),
});
type Binding = z.infer<typeof binding>;

/**
 * Parsed bindings and roles. Every request of a user outside `system:masters` reads all bindings, so each is parsed
 * once.
 */
const bindings = new WeakMap<StoredObject, Binding | undefined>();
const roles = new WeakMap<StoredObject, Role>();

/** Returns a stored binding, or `undefined` if it is invalid. */
export function bindingOf(stored: StoredObject): Binding | undefined {
  if (!bindings.has(stored)) bindings.set(stored, binding.safeParse(parseStored(stored)).data);
  return bindings.get(stored);
}

function roleOf(stored: StoredObject): Role {
  let found = roles.get(stored);
  if (!found) {
    found = role.safeParse(parseStored(stored)).data ?? NO_RULES;
    roles.set(stored, found);
  }
  return found;
}

/**
 * Yields the rules of a role, and those of the roles that it aggregates. Upstream, a controller of
 * kube-controller-manager copies these into the role.
 *
 * @param clusterRoles all ClusterRoles, read only for a role that aggregates others. Default: none is aggregated.
 */
export function* rulesOf(stored: StoredObject, clusterRoles: () => Iterable<StoredObject> = () => []): Generator<Rule> {
  const visited = new Set([stored]);
  for (const each of visited) {
    const { rules, aggregationRule } = roleOf(each);
    yield* rules ?? [];
    const selectors = aggregationRule?.clusterRoleSelectors ?? [];
    if (selectors.length === 0) continue;
    // A set yields what is added to it meanwhile.
    for (const other of clusterRoles()) {
      if (selectors.some((selector) => selects(selector, other.labels))) visited.add(other);
    }
  }
}

/** @param namespace namespace of the binding, for a service account without one. */
export function isSubject({ name, groups }: User, { kind, ...subjectOf }: Subject, namespace: string): boolean {
  switch (kind) {
    case 'User':
      return subjectOf.name === name;
    case 'Group':
      return groups.includes(subjectOf.name);
    case 'ServiceAccount':
      return name === serviceAccountUser(subjectOf.namespace ?? namespace, subjectOf.name);
    default:
      return false;
  }
}

export function ruleAllows(allowed: Rule, request: RequestInfo): boolean {
  if (!includes(allowed.verbs, request.verb)) return false;
  if ('path' in request) return (allowed.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, request.path));
  const { group, resource, subresource, name } = request;
  const names = allowed.resourceNames ?? [];
  return (
    includes(allowed.apiGroups, group) &&
    (allowed.resources ?? []).some((pattern) => coversResource(pattern, resource, subresource)) &&
    (names.length === 0 || (name !== '' && names.includes(name)))
  );
}

function includes(values: readonly string[] | null | undefined, value: string): boolean {
  return values?.includes('*') === true || values?.includes(value) === true;
}

function coversResource(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true;
  if (subresource === '') return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

function coversPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
