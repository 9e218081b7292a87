import type { AllowedCommand } from './allowed-command.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig-document.ts';
import { fault, type Entry } from './kubeconfig-entry.ts';

/**
 * A kubeconfig field that lets the author of the kubeconfig run a program, read a file, redirect or weaken the
 * connection, or impersonate a user, with the rights of this process. It is refused in an untrusted kubeconfig.
 */
export type RestrictedField = RestrictedClusterField | RestrictedUserField;

/** A {@link RestrictedField} of a cluster entry. */
export type RestrictedClusterField = 'certificate-authority' | 'proxy-url' | 'insecure-skip-tls-verify';

/** A {@link RestrictedField} of a user entry. */
export type RestrictedUserField =
  | 'exec'
  | 'auth-provider'
  | 'tokenFile'
  | 'client-certificate'
  | 'client-key'
  | 'as'
  | 'as-uid'
  | 'as-groups'
  | 'as-user-extra';

const CLUSTER_FIELDS: readonly RestrictedClusterField[] = [
  'certificate-authority',
  'proxy-url',
  'insecure-skip-tls-verify',
];
const USER_FIELDS: readonly RestrictedUserField[] = [
  'exec',
  'auth-provider',
  'tokenFile',
  'client-certificate',
  'client-key',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
];

export interface Allowance {
  readonly allow?: readonly RestrictedField[] | undefined;
  readonly allowedCommands?: readonly AllowedCommand[] | undefined;
}

/** Refuses restricted fields. @throws {KubeconfigError} with the first field that is set and not allowed. */
export function refuseRestrictedFields(
  cluster: Entry<KubeconfigCluster>,
  user: Entry<KubeconfigUser> | undefined,
  { allow = [], allowedCommands }: Allowance,
): void {
  refuse(cluster, CLUSTER_FIELDS, allow);
  if (!user) return;
  refuse(user, USER_FIELDS, allow);
  if (user.value.exec && !allowedCommands) {
    throw fault(user, 'exec', 'is allowed in an untrusted kubeconfig only with a list of plugins: set allowedCommands');
  }
  const provider = user.value['auth-provider'];
  if (provider && provider.name !== 'oidc') {
    throw fault(
      user,
      'auth-provider.name',
      'is refused in an untrusted kubeconfig: use oidc, because other auth providers can run commands',
    );
  }
}

function refuse<Field extends RestrictedField>(
  entry: Entry<Readonly<Partial<Record<Field, unknown>>>>,
  names: readonly Field[],
  allow: readonly RestrictedField[],
): void {
  // An empty or false field has no effect.
  const name = names.find((candidate) => entry.value[candidate] && !allow.includes(candidate));
  if (name === undefined) return;
  throw fault(entry, name, 'is refused in an untrusted kubeconfig: remove it, or allow it in code');
}
