import type { Entry, KubeconfigCluster, KubeconfigUser } from './kubeconfig-document.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

const CLUSTER_FIELDS = ['certificate-authority', 'proxy-url', 'insecure-skip-tls-verify'] as const;
const USER_FIELDS = [
  'exec',
  'auth-provider',
  'tokenFile',
  'client-certificate',
  'client-key',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
] as const;

/**
 * A kubeconfig field by which whoever writes the kubeconfig could run a program, read a file, redirect or weaken the
 * connection, or act as somebody else, with the rights of this process. An untrusted kubeconfig is refused for it.
 */
export type RestrictedField = (typeof CLUSTER_FIELDS)[number] | (typeof USER_FIELDS)[number];

/** @throws {KubeconfigError} naming the first field that is set and not allowed. */
export function refuseRestrictedFields(
  cluster: Entry<KubeconfigCluster>,
  user: Entry<KubeconfigUser> | undefined,
  allow: readonly RestrictedField[],
): void {
  refuse(cluster, CLUSTER_FIELDS, allow);
  if (user) refuse(user, USER_FIELDS, allow);
}

function refuse<Field extends RestrictedField>(
  { value, field, path }: Entry<Readonly<Partial<Record<Field, unknown>>>>,
  names: readonly Field[],
  allow: readonly RestrictedField[],
): void {
  // What is empty or false asks for nothing.
  const name = names.find((candidate) => value[candidate] && !allow.includes(candidate));
  if (name === undefined) return;
  throw new KubeconfigError('is refused in an untrusted kubeconfig: remove it, or allow it in code', {
    field: `${field}.${name}`,
    path,
  });
}
