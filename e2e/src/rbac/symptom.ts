import type { Permission } from './manifest.ts';

/** What comes of a permission that is missing, as docs/security.md says. */
export interface Symptom {
  /** Which permissions. */
  readonly without: RegExp;
  /** In the log, or in what the fleet tells of the cluster. */
  readonly shows: RegExp;
  /** Whether the cluster is reconciled all the same. */
  readonly reconciles?: boolean;
  /** A phase and reason that the fleet status gives the cluster in which the permission is missing. */
  readonly becomes?: RegExp;
}

const symptoms: readonly Symptom[] = [
  {
    without: /(get|create) leases\./u,
    shows: /failed to acquire or renew the lease.* is forbidden/u,
    reconciles: false,
  },
  // It leads, for as long as the lease lasts.
  { without: /patch leases\./u, shows: /failed to acquire or renew the lease.* is forbidden/u, reconciles: true },
  // Logged once, for whatever reason it was first.
  { without: / events\./u, shows: /failed to record events/u, reconciles: true },
  // The provider of ClusterProfiles waits for it, then does without.
  { without: /: list namespaces/u, shows: /list or watch failed .* cannot list resource/u },
  {
    without: /: list /u,
    shows: /list or watch failed .* cannot list resource/u,
    reconciles: false,
    becomes: /^Degraded: .* cannot list resource/mu,
  },
  // What there was before the watch began is there.
  { without: /: watch /u, shows: /list or watch failed .* cannot watch resource/u },
  { without: /: get namespaces/u, shows: /Disengaged: another configuration took its place/u, reconciles: true },
];

/** @throws {Error} for a permission of which the documents say nothing. */
export function symptomOf(missing: Permission): Symptom {
  const symptom = symptoms.find(({ without }) => without.test(missing));
  if (!symptom) throw new Error(`nothing is said of what comes of it when "${missing}" is missing`);
  return symptom;
}
