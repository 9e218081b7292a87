import type { EndReason, Membership } from './membership.ts';

/** Ends an incarnation: its fence is closed for good, and it sends nothing any more. */
export function end(
  state: Membership,
  { reason, detail, rejoinAt }: { readonly reason: EndReason; readonly detail: string; readonly rejoinAt?: number },
): Membership {
  const { fence: _fence, view: _view, inFlight: _inFlight, proposal: _proposal, ...rest } = state;
  return { ...rest, end: { reason, detail, ...(rejoinAt !== undefined && { rejoinAt }) }, holds: new Map() };
}
