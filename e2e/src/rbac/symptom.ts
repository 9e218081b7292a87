import type { Permission } from './manifest.ts';

/** Effect of a missing permission, as stated in docs/security.md. */
export interface Symptom {
  /** Selects the permissions. */
  readonly without: RegExp;
  /** Matches the log or the status of the cluster. */
  readonly shows: RegExp;
  /** Whether the cluster is reconciled anyway. */
  readonly reconciles?: boolean;
  /** A phase and reason of the cluster in which the permission is missing. */
  readonly becomes?: RegExp;
}

const symptoms: readonly Symptom[] = [
  {
    without: /(get|create) leases\./u,
    shows: /failed to acquire or renew the lease.* is forbidden/u,
    reconciles: false,
  },
  // It leads until the lease expires.
  { without: /patch leases\./u, shows: /failed to acquire or renew the lease.* is forbidden/u, reconciles: true },
  // Logged once per problem, whatever its first cause.
  { without: / events\./u, shows: /failed to record events/u, reconciles: true },
  // The provider of ClusterProfiles waits for it for a limited time, then continues without it.
  { without: /: list namespaces/u, shows: /list or watch failed .* cannot list resource/u },
  {
    without: /: list /u,
    shows: /list or watch failed .* cannot list resource/u,
    reconciles: false,
    becomes: /^Degraded: .* cannot list resource/mu,
  },
  // Objects from before the watch are cached.
  { without: /: watch /u, shows: /list or watch failed .* cannot watch resource/u },
  { without: /: get namespaces/u, shows: /Disengaged: another configuration took its place/u, reconciles: true },
];

/** @throws {Error} if the documents do not state the effect of the permission. */
export function symptomOf(missing: Permission): Symptom {
  const symptom = symptoms.find(({ without }) => without.test(missing));
  if (!symptom) throw new Error(`no symptom is defined for the missing permission "${missing}"`);
  return symptom;
}
