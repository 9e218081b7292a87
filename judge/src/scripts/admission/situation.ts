import type { Answer } from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import type { Step } from '../session.ts';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** A webhook or a policy, and the requests that it is asked about. It selects objects by the label `case`. */
export interface Situation {
  /** A DNS label. */
  readonly name: string;
  readonly webhooks?: readonly SituationWebhook[];
  readonly policy?: SituationPolicy;
  readonly requests: readonly Step[];
}

export interface SituationWebhook {
  readonly kind: 'Mutating' | 'Validating';
  readonly answer: Answer;
  readonly fields?: object;
  /** Client configuration. Default: that of a server that gives the answer. */
  readonly clientConfig?: object;
  /** Whether the reviews are compared. */
  readonly records?: boolean;
}

export interface SituationPolicy {
  readonly spec: object;
  readonly binding?: object;
}

/** Returns a ConfigMap of a situation. */
export function map(situation: string, name: string, data: object = { a: 'b' }, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { case: situation }, ...metadata }, data };
}

/** Returns the request that creates a ConfigMap of a situation. */
export function createMap(situation: string, data?: object, metadata?: object): Step {
  return { method: 'POST', path: CONFIG_MAPS, body: map(situation, situation, data, metadata) };
}
