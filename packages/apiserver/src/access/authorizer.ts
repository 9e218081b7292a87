import { forbidden } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { RequestInfo } from './request-info.ts';
import type { Rule } from './rules.ts';
import { bindingOf, isSubject, ruleAllows, rulesOf } from './rules.ts';
import type { User } from './user.ts';
import { MASTERS } from './user.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Mode of kube-apiserver: `AlwaysAllow` ignores roles and bindings. */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC';

export interface AuthorizerOptions {
  /** Default: RBAC. */
  readonly mode?: AuthorizationMode | undefined;
  /** Whether a role grants the rules of the roles that it aggregates, as beside a kube-controller-manager. Default: true. */
  readonly aggregatesRoles?: boolean | undefined;
}

/** Result of an authorization. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** A rule, and the binding that gives it to a user. */
interface Grant {
  readonly rule: Rule;
  readonly binding: string;
}

/**
 * Role-based access control (RBAC) of one cluster: decides by its roles and bindings. Rules only allow; everything else
 * is forbidden.
 */
export class Authorizer {
  readonly #store: ClusterStore;
  readonly #mode: AuthorizationMode;
  readonly #aggregatesRoles: boolean;

  constructor(store: ClusterStore, { mode = 'RBAC', aggregatesRoles = true }: AuthorizerOptions = {}) {
    this.#store = store;
    this.#mode = mode;
    this.#aggregatesRoles = aggregatesRoles;
  }

  /** @throws {StatusError} 403 */
  authorize(user: User, request: RequestInfo): void {
    if (!this.allows(user, request)) throw forbidden(user.name, request);
  }

  allows(user: User, request: RequestInfo): boolean {
    return this.decide(user, request).allowed;
  }

  /** Returns whether a user may send a request, and which binding allows it. */
  decide(user: User, request: RequestInfo): Decision {
    if (this.#mode === 'AlwaysAllow' || user.groups.includes(MASTERS)) return { allowed: true };
    const namespace = 'path' in request ? '' : request.namespace;
    for (const { rule, binding } of this.#grants(user, namespace)) {
      if (ruleAllows(rule, request)) return { allowed: true, reason: `RBAC: allowed by ${binding}` };
    }
    return { allowed: false };
  }

  /** Yields the rules that apply to a user in a namespace; `''` yields those that apply everywhere. */
  *rulesFor(user: User, namespace: string): Generator<Rule> {
    for (const { rule } of this.#grants(user, namespace)) yield rule;
  }

  *#grants(user: User, namespace: string): Generator<Grant> {
    yield* this.#boundRules(user, `clusterrolebindings.${GROUP}`, '');
    if (namespace !== '') yield* this.#boundRules(user, `rolebindings.${GROUP}`, namespace);
  }

  *#boundRules(user: User, bindings: string, namespace: string): Generator<Grant> {
    const clusterRoles = (): Iterable<StoredObject> => this.#store.resource(`clusterroles.${GROUP}`).list('');
    for (const stored of this.#store.resource(bindings).list(namespace)) {
      const binding = bindingOf(stored);
      const subject = binding?.subjects?.find((candidate) => isSubject(user, candidate, stored.namespace));
      if (!binding || !subject) continue;
      const { kind, name } = binding.roleRef;
      const role =
        kind === 'ClusterRole'
          ? this.#store.resource(`clusterroles.${GROUP}`).get(name)
          : this.#store.resource(`roles.${GROUP}`).get(`${stored.namespace}/${name}`);
      if (!role) continue;
      const text = describeBinding(stored, binding.roleRef, subject);
      for (const rule of rulesOf(role, this.#aggregatesRoles ? clusterRoles : undefined)) yield { rule, binding: text };
    }
  }
}

/** Describes a binding as the reasons of a real server do. */
function describeBinding(
  { name, namespace }: StoredObject,
  roleRef: { readonly kind: string; readonly name: string },
  subject: { readonly kind: string; readonly name: string; readonly namespace?: string | null | undefined },
): string {
  const isBound = namespace !== '';
  const binding = isBound ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${who}"`;
}
