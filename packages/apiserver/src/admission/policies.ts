import type { Value } from '../cel/values.ts';
import { StatusError } from '../status.ts';
import type { Attributes } from './attributes.ts';
import { variablesOf } from './conditions.ts';
import { namespaceType } from './expression-types.ts';
import { valueOf, visibleNamespace } from './expression-values.ts';
import type { AdmissionCluster } from './matching.ts';
import { findNamespace, matchedType } from './matching.ts';
import { forbiddenFor } from './forbidden.ts';
import { ConfigurationError, paramsOf, paramType } from './params.ts';
import type { MatchResources, NamedRule, Policy, PolicyBinding } from './policy.ts';
import type { Decision } from './policy-evaluation.ts';
import { evaluatePolicy } from './policy-evaluation.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { Turn } from '../turn.ts';
import { asRequested, toVersion } from './versioned.ts';
import type { CallContext } from './webhook-call.ts';

/** Codes of the reasons that a validation can have. */
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** Evaluates the policies that a request matches. @throws {StatusError} the first denial. */
export async function evaluatePolicies(
  cluster: AdmissionCluster,
  context: CallContext,
  attributes: Attributes,
  policies: readonly Policy[],
): Promise<void> {
  const denials: Denial[] = [];
  const turn = new Turn();
  for (const policy of policies) denials.push(...(await evaluateOne(cluster, context, attributes, policy, turn)));
  const [first] = denials;
  if (!first) return;
  const { policy, binding, reason } = first;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${first.message}`;
  const error = forbiddenFor(attributes, message);
  const causes = [...(error.details?.causes ?? []), { message }];
  throw new StatusError(CODES[reason] ?? 422, reason, error.message, { ...error.details, causes });
}

async function evaluateOne(
  cluster: AdmissionCluster,
  context: CallContext,
  attributes: Attributes,
  policy: Policy,
  turn: Turn,
): Promise<Denial[]> {
  const { name, spec, bindings } = policy;
  const denials: Denial[] = [];
  const misconfigured = (error: unknown, binding?: PolicyBinding): void => {
    if (!(error instanceof ConfigurationError)) throw error;
    if (spec.failurePolicy === 'Ignore') return;
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${error.message}`;
    denials.push({ policy: name, binding: binding?.name, message, reason: 'Invalid' });
  };
  const type = constrainedType(cluster, spec.matchConstraints, attributes);
  if (!type || bindings.length === 0) return denials;
  let params: ResourceType | undefined;
  try {
    params = paramType(cluster, policy);
  } catch (error) {
    misconfigured(error);
    return denials;
  }
  for (const binding of bindings) {
    if (binding.matchResources && !constrainedType(cluster, binding.matchResources, attributes)) continue;
    try {
      const values = await paramsOf(cluster, params, binding, attributes.namespace);
      const versioned = await toVersion(asRequested(attributes), type);
      const namespace = attributes.type.storage === 'namespaces' ? '' : attributes.namespace;
      const variables: Record<string, Value> = {
        ...variablesOf(versioned, context),
        namespaceObject: valueOf(visibleNamespace(findNamespace(cluster, namespace)), namespaceType),
      };
      for (const param of values) {
        if (turn.isOver) await turn.next();
        for (const decision of await evaluatePolicy(policy, { ...variables, params: valueOf(param) }, turn)) {
          denials.push(...act(context, policy, binding, decision));
        }
      }
    } catch (error) {
      misconfigured(error, binding);
    }
  }
  return denials;
}

/** Does what a binding says about a decision. There is no audit log, so the action Audit has no effect. */
function act({ warn }: CallContext, { name }: Policy, binding: PolicyBinding, decision: Decision): Denial[] {
  const { message, reason, always } = decision;
  const denial = { policy: name, binding: binding.name, message, reason };
  if (always) return [denial];
  if (binding.validationActions.includes('Warn')) {
    warn(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${binding.name}': ${message}`);
  }
  return binding.validationActions.includes('Deny') ? [denial] : [];
}

/** Returns the type, with its version, that a policy gets. `undefined`: it does not select the request. */
export function constrainedType(
  cluster: AdmissionCluster,
  { resourceRules, excludeResourceRules, ...rest }: MatchResources,
  attributes: Attributes,
): ResourceType | undefined {
  const named = (rules: readonly NamedRule[]): readonly NamedRule[] =>
    rules.filter(({ resourceNames }) => !resourceNames?.length || resourceNames.includes(attributes.name));
  const { matchPolicy } = rest;
  if (matchedType(cluster, { rules: named(excludeResourceRules), matchPolicy }, attributes)) return undefined;
  const rules = resourceRules.length === 0 ? [EVERYTHING] : named(resourceRules);
  return matchedType(cluster, { ...rest, rules }, attributes);
}

const EVERYTHING: NamedRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
