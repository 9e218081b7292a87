import type { HubAnswer, HubRequest } from './membership/hub-request.ts';

/** The hub, as far as a member of a group uses it. */
export interface ShardHub {
  /**
   * Performs a request. Never rejects: a request without a certain result is answered with `failed`.
   *
   * @param options.signal ends the request, which is then answered with `failed`.
   */
  perform(request: HubRequest, options: { readonly signal: AbortSignal }): Promise<HubAnswer>;
  /**
   * Calls `onChange` when the plan or a Lease may have changed, until `signal` aborts. It is a hint only: calls may be
   * late or missing.
   */
  follow(onChange: () => void, signal: AbortSignal): void;
}
