import { forbidden } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { RequestInfo } from './request-info.ts';
import type { Rule } from './rules.ts';
import { bindingOf, isSubject, ruleAllows, rulesOf } from './rules.ts';
import type { User } from './user.ts';
import { MASTERS } from './user.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Mode of kube-apiserver: `AlwaysAllow` ignores roles and bindings. */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC';

/**
 * Role-based access control (RBAC) of one cluster: decides by its roles and bindings. Rules only allow; everything else
 * is forbidden. Aggregated ClusterRoles contain only the rules that they were created with.
 */
export class Authorizer {
  readonly #store: ClusterStore;
  readonly #mode: AuthorizationMode;

  constructor(store: ClusterStore, mode: AuthorizationMode = 'RBAC') {
    this.#store = store;
    this.#mode = mode;
  }

  /** @throws {StatusError} 403 */
  authorize(user: User, request: RequestInfo): void {
    if (!this.allows(user, request)) throw forbidden(user.name, request);
  }

  allows(user: User, request: RequestInfo): boolean {
    if (this.#mode === 'AlwaysAllow' || user.groups.includes(MASTERS)) return true;
    const namespace = 'path' in request ? '' : request.namespace;
    for (const rule of this.rulesFor(user, namespace)) if (ruleAllows(rule, request)) return true;
    return false;
  }

  /** Yields the rules that apply to a user in a namespace; `''` yields those that apply everywhere. */
  *rulesFor(user: User, namespace: string): Generator<Rule> {
    yield* this.#boundRules(user, `clusterrolebindings.${GROUP}`, '');
    if (namespace !== '') yield* this.#boundRules(user, `rolebindings.${GROUP}`, namespace);
  }

  *#boundRules(user: User, bindings: string, namespace: string): Generator<Rule> {
    for (const stored of this.#store.resource(bindings).list(namespace)) {
      const binding = bindingOf(stored);
      if (!binding?.subjects?.some((subject) => isSubject(user, subject, stored.namespace))) continue;
      const { kind, name } = binding.roleRef;
      const role =
        kind === 'ClusterRole'
          ? this.#store.resource(`clusterroles.${GROUP}`).get(name)
          : this.#store.resource(`roles.${GROUP}`).get(`${stored.namespace}/${name}`);
      if (role) yield* rulesOf(role);
    }
  }
}
