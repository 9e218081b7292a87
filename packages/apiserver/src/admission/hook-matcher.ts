import { forbiddenBy } from '../status.ts';
import type { Attributes } from './attributes.ts';
import type { Hook } from './hook.ts';
import { conditionOf, conditionsMatch, variablesOf } from './conditions.ts';
import { EvaluationFailure } from './expression.ts';
import type { AdmissionCluster } from './matching.ts';
import { matchedType } from './matching.ts';
import type { ReviewContext } from './review.ts';
import type { VersionedAttributes } from './versioned.ts';
import { toVersion } from './versioned.ts';

/** Decides which webhooks a request matches. */
export class HookMatcher {
  readonly #cluster: AdmissionCluster;
  readonly #context: ReviewContext;

  constructor(cluster: AdmissionCluster, context: ReviewContext) {
    this.#cluster = cluster;
    this.#context = context;
  }

  /**
   * Returns the objects in the version in which a webhook wants them; `undefined` if it is not to be called.
   *
   * @param from the objects in any version.
   * @throws {StatusError} 403 if a match condition fails and the webhook must not be skipped.
   */
  async match(hook: Hook, attributes: Attributes, from: VersionedAttributes): Promise<VersionedAttributes | undefined> {
    const type = matchedType(this.#cluster, hook, attributes);
    if (!type) return undefined;
    const versioned = await toVersion(from, type);
    if (hook.matchConditions.length === 0) return versioned;
    try {
      const variables = variablesOf(versioned, this.#context);
      const expressions = hook.matchConditions.map((condition) => conditionOf(condition));
      return conditionsMatch(expressions, variables) ? versioned : undefined;
    } catch (error) {
      if (!(error instanceof EvaluationFailure)) throw error;
      if (hook.failurePolicy === 'Ignore') return undefined;
      throw forbiddenBy(attributes.type, attributes.name, error.message);
    }
  }
}
