import type { ApiClient, ClusterConfig, KubernetesObject, ObjectKey } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  isAlreadyExists,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
  TokenRequest,
} from '@mcr/core';
import type { RoleManifest } from './manifest.ts';

export interface RoleOptions {
  /** Labels of the ClusterRoles and their bindings. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Suffix of the names of the roles. Default: none. */
  readonly suffix?: string;
}

/**
 * Creates a ServiceAccount with exactly the permissions of `roles`. A Role without a namespace is bound in the
 * account's namespace.
 *
 * @param key key of the account. Its namespace is created if it does not exist.
 */
export async function createServiceAccount(
  admin: ApiClient,
  key: Required<ObjectKey>,
  roles: readonly RoleManifest[],
  { labels = {}, suffix = '' }: RoleOptions = {},
): Promise<void> {
  await createNamespace(admin, key.namespace);
  await admin.create(ServiceAccount, { metadata: key });
  const subjects = [{ kind: 'ServiceAccount', ...key }];
  for (const { kind, metadata, rules } of roles) {
    // Roles are created per account, because accounts differ in the permission that they lack.
    const name = `${metadata.name}-${key.name}${suffix}`;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
    if (kind === 'ClusterRole') {
      await admin.create(ClusterRole, { metadata: { name, labels }, rules: [...rules] });
      await admin.create(ClusterRoleBinding, { metadata: { name, labels }, roleRef, subjects });
    } else {
      const { namespace = key.namespace } = metadata;
      await admin.create(Role, { metadata: { namespace, name }, rules: [...rules] });
      await admin.create(RoleBinding, { metadata: { namespace, name }, roleRef, subjects });
    }
  }
}

/** Returns `config` with a new token of a ServiceAccount as credentials. */
export async function asServiceAccount(
  admin: ApiClient,
  key: ObjectKey,
  { server, tls: { caData, serverName } = {} }: ClusterConfig,
): Promise<ClusterConfig> {
  const { status } = await admin
    .subresource('token', TokenRequest)
    .create(ServiceAccount, key, { metadata: key, spec: { audiences: [] } });
  if (status?.token === undefined) throw new Error('the API server returned no token');
  // A client certificate would take precedence over the token.
  const tls = { ...(caData !== undefined && { caData }), ...(serverName !== undefined && { serverName }) };
  return { server, tls, auth: { type: 'token', token: status.token } };
}

/** Returns a kubeconfig that uses a token. */
export function kubeconfigOf({ server, tls, auth }: ClusterConfig): string {
  const { caData, serverName } = tls ?? {};
  const cluster = {
    server,
    ...(caData !== undefined && { 'certificate-authority-data': Buffer.from(caData).toString('base64') }),
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
  };
  return JSON.stringify({
    clusters: [{ name: 'member', cluster }],
    users: [{ name: 'member', user: { token: auth?.type === 'token' ? auth.token : '' } }],
    contexts: [{ name: 'member', context: { cluster: 'member', user: 'member' } }],
    'current-context': 'member',
  });
}

export async function createNamespace(admin: ApiClient, name: string): Promise<void> {
  await admin.create<KubernetesObject>(Namespace, { metadata: { name } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
