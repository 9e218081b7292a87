import * as z from 'zod';
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

const role = z.object({ rules: z.array(rule).nullish() });

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
const roles = new WeakMap<StoredObject, readonly Rule[]>();

/** Returns a stored binding, or `undefined` if it is invalid. */
export function bindingOf(stored: StoredObject): Binding | undefined {
  if (!bindings.has(stored)) bindings.set(stored, binding.safeParse(parseStored(stored)).data);
  return bindings.get(stored);
}

export function rulesOf(stored: StoredObject): readonly Rule[] {
  let rules = roles.get(stored);
  if (!rules) {
    rules = role.safeParse(parseStored(stored)).data?.rules ?? [];
    roles.set(stored, rules);
  }
  return rules;
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
