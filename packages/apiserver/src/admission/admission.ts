import type { Access } from '../access/access.ts';
import type { User } from '../access/user.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { wait } from '../verbs/steps.ts';
import type { Steps } from '../verbs/steps.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { Attributes, OperationOptions, WriteAdmission } from './attributes.ts';
import { HookMatcher } from './hook-matcher.ts';
import type { Hook } from './hook.ts';
import { hooksOf } from './hook.ts';
import type { AdmissionCluster } from './matching.ts';
import { matchedType } from './matching.ts';
import { MutatingWebhooks } from './mutating.ts';
import { evaluatePolicies } from './policies.ts';
import type { Policy } from './policy.ts';
import { bindingOf, policyOf } from './policy.ts';
import { callValidating } from './validating.ts';
import type { CallContext } from './webhook-call.ts';

const GROUP = 'admissionregistration.k8s.io';
const MUTATING = `mutatingwebhookconfigurations.${GROUP}`;
const VALIDATING = `validatingwebhookconfigurations.${GROUP}`;
const POLICIES = `validatingadmissionpolicies.${GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;
const SOURCES: ReadonlySet<string> = new Set([MUTATING, VALIDATING, POLICIES, BINDINGS]);

/** Upper bound of the time of a request in milliseconds, as in kube-apiserver. */
const REQUEST_TIMEOUT = 34_000;

/** Returns what a write of one request is subject to. */
export type RequestAdmission = (write: {
  readonly dryRun: boolean;
  readonly options: (operation: string) => OperationOptions;
}) => WriteAdmission;

interface AdmittedCluster extends AdmissionCluster {
  readonly access: Access;
  readonly webhooks: WebhookClient;
}

interface Hooks {
  /** In the order in which they are called: by the names of their configurations. */
  readonly mutating: readonly Hook[];
  readonly validating: readonly Hook[];
  readonly policies: readonly Policy[];
}

/** The webhooks and policies of a cluster that admit writes. */
export class Admission {
  readonly #cluster: AdmittedCluster;
  #hooks: Hooks | undefined;

  constructor(cluster: AdmittedCluster) {
    this.#cluster = cluster;
    cluster.store.onWrite(({ object }) => {
      if (SOURCES.has(object.resource)) this.#hooks = undefined;
    });
  }

  /** Returns what the writes of a user are subject to; `undefined` if there is nothing. */
  forRequest(user: User, exchange: { warn(text: string): void }): RequestAdmission | undefined {
    const hooks = (this.#hooks ??= this.#load());
    if (Object.values(hooks).every(({ length }: readonly unknown[]) => length === 0)) return undefined;
    const deadline = performance.now() + REQUEST_TIMEOUT;
    const warn = (text: string): void => exchange.warn(text);
    const { webhooks: client, access } = this.#cluster;
    const { authorizer } = access;
    return (write) => new AdmittedWrite(this.#cluster, hooks, { ...write, user, authorizer, client, warn, deadline });
  }

  #load(): Hooks {
    const load = (resource: string): ApiObject[] => this.#cluster.store.resource(resource).list('').map(parseStored);
    const bindings = load(BINDINGS).flatMap((binding) => bindingOf(binding) ?? []);
    return {
      mutating: load(MUTATING).flatMap(hooksOf),
      validating: load(VALIDATING).flatMap(hooksOf),
      policies: load(POLICIES).flatMap((policy) => policyOf(policy, bindings) ?? []),
    };
  }
}

/** The webhooks and policies of one write. */
class AdmittedWrite implements WriteAdmission {
  readonly #cluster: AdmittedCluster;
  readonly #hooks: Hooks;
  readonly #context: CallContext;
  readonly #matcher: HookMatcher;

  constructor(cluster: AdmittedCluster, hooks: Hooks, context: CallContext) {
    this.#cluster = cluster;
    this.#hooks = hooks;
    this.#context = context;
    this.#matcher = new HookMatcher(cluster, context);
  }

  *mutate(attributes: Attributes): Steps<ApiObject | undefined> {
    const hooks = this.#selecting(this.#hooks.mutating, attributes);
    if (hooks.length === 0) return attributes.object;
    return yield* wait(new MutatingWebhooks(this.#matcher, this.#context, attributes).call(hooks));
  }

  *validate(attributes: Attributes): Steps<void> {
    const policies = this.#constraining(attributes);
    if (policies.length > 0) yield* wait(evaluatePolicies(this.#cluster, this.#context, attributes, policies));
    const hooks = this.#selecting(this.#hooks.validating, attributes);
    if (hooks.length > 0) yield* wait(callValidating(this.#matcher, this.#context, attributes, hooks));
  }

  /** Returns the policies with rules for a write. */
  #constraining(attributes: Attributes): readonly Policy[] {
    if (attributes.type.group === GROUP) return [];
    return this.#hooks.policies.filter(({ spec, bindings }) => {
      const { resourceRules: rules, matchPolicy } = spec.matchConstraints;
      return bindings.length > 0 && matchedType(this.#cluster, { rules, matchPolicy }, attributes);
    });
  }

  /** Returns the webhooks with rules for a write. Their selectors are matched later, when the object is final. */
  #selecting(hooks: readonly Hook[], attributes: Attributes): readonly Hook[] {
    // The configuration of admission is never subject to it.
    if (attributes.type.group === GROUP) return [];
    return hooks.filter(({ rules, matchPolicy }) => matchedType(this.#cluster, { rules, matchPolicy }, attributes));
  }
}
