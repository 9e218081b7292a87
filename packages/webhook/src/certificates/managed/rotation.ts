import type { IssuedCertificate, Issue } from './issued-certificate.ts';
import { endOf, hostsOf, isNotYetValid, missingHosts, startOf } from './issued-certificate.ts';

/** How certificates are rotated. Durations are in milliseconds. */
export interface RotationPolicy {
  readonly hosts: readonly string[];
  readonly lifetime: number;
  readonly overlap: number;
}

/**
 * State of the certificates, shared by all replicas.
 *
 * - `steady`: left when two thirds of the lifetime have passed, or the certificate lacks a host or is not valid yet.
 * - `trusting`: clusters get the CA of `next` beside the current one, `current` is served. Left at `serveAfter`.
 * - `replacing`: `current` is served, clusters still trust the previous CA, because a replica may serve its
 *   certificate. Left at `dropAfter`.
 *
 * Instants are in ms since 1970.
 */
export type RotationState =
  | { readonly phase: 'steady'; readonly current: IssuedCertificate }
  | {
      readonly phase: 'trusting';
      readonly current: IssuedCertificate;
      readonly next: IssuedCertificate;
      readonly serveAfter: number;
    }
  | {
      readonly phase: 'replacing';
      readonly current: IssuedCertificate;
      readonly previousCa: string;
      readonly dropAfter: number;
    };

export interface RotationStep extends RotationPolicy {
  readonly issue: Issue;
  /** Now, in ms since 1970. */
  readonly now: number;
  /** Whether a cluster has not got the current CA bundle. */
  readonly isPending: boolean;
}

/** Start of a certificate before its creation, for API servers whose clock is slow. */
const BACKDATED = 86_400_000;
/** Hosts of a certificate that replicas with different hosts share. */
const MAX_HOSTS = 200;
/** Part of the lifetime after which a certificate is replaced. */
const RENEW_AFTER = 2 / 3;
/** Part of the lifetime that is left when a certificate is replaced, although clusters do not trust the next one. */
const LAST_MOMENT = 1 / 12;

/** Returns the first state. */
export async function firstState(step: Pick<RotationStep, 'issue' | 'now' | 'hosts' | 'lifetime'>) {
  return { phase: 'steady', current: await issueNow(step, step.hosts) } as const satisfies RotationState;
}

/** Returns the next state, or `undefined` to stay. The caller must store it before it takes effect. */
export async function nextState(state: RotationState, step: RotationStep): Promise<RotationState | undefined> {
  const { now, overlap } = step;
  const { current } = state;
  // A clock was ahead when it was created. Calls fail, so nothing is lost without an overlap.
  const isEarly = isNotYetValid(current, now);
  switch (state.phase) {
    case 'steady': {
      const missing = missingHosts(current, step.hosts);
      if (!isEarly && now < renewalOf(current) && missing.length === 0) return undefined;
      // Replicas with other hosts, as during an update, need the present ones.
      const all = missing.length > 0 ? [...hostsOf(current), ...missing] : step.hosts;
      const next = await issueNow(step, all.length > MAX_HOSTS ? step.hosts : all);
      const serveAfter = isEarly ? now : Math.min(now + overlap, lastMomentOf(current));
      return { phase: 'trusting', current, next, serveAfter };
    }
    case 'trusting': {
      const { next } = state;
      if (isNotYetValid(next, now)) return { phase: 'steady', current };
      const serveAfter = isEarly ? now : Math.min(state.serveAfter, lastMomentOf(current));
      if (step.isPending && !isEarly) {
        // Wait for the clusters: a call from one that does not trust the next certificate would fail.
        const later = Math.min(now + overlap, lastMomentOf(current));
        if (now < later)
          return serveAfter - now < overlap / 2 && later > serveAfter ? { ...state, serveAfter: later } : undefined;
      }
      if (now < serveAfter) return undefined;
      return {
        phase: 'replacing',
        current: next,
        previousCa: current.ca,
        dropAfter: now + overlap,
      };
    }
    case 'replacing':
      if (!isEarly && now < Math.min(state.dropAfter, renewalOf(current))) return undefined;
      return { phase: 'steady', current };
  }
}

/** Returns the CA bundle that clusters must trust, in PEM. */
export function caBundleOf(state: RotationState): string {
  const { ca } = state.current;
  switch (state.phase) {
    case 'steady':
      return ca;
    case 'trusting':
      return joined(ca, state.next.ca);
    case 'replacing':
      return joined(ca, state.previousCa);
  }
}

function joined(...pem: readonly string[]): string {
  return pem.map((text) => `${text.trimEnd()}\n`).join('');
}

async function issueNow(
  { issue, now, lifetime }: Pick<RotationStep, 'issue' | 'now' | 'lifetime'>,
  hosts: readonly string[],
): Promise<IssuedCertificate> {
  return issue({ hosts, notBefore: now - BACKDATED, notAfter: now + lifetime });
}

function renewalOf(issued: IssuedCertificate): number {
  return instantOf(issued, RENEW_AFTER);
}

function lastMomentOf(issued: IssuedCertificate): number {
  return instantOf(issued, 1 - LAST_MOMENT);
}

/** @param part the part of the lifetime, counted from the creation of the certificate. */
function instantOf(issued: IssuedCertificate, part: number): number {
  const created = startOf(issued) + BACKDATED;
  return created + part * (endOf(issued) - created);
}
