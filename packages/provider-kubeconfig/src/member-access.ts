import type { ApiClient, ClusterConfig, ObjectKey } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  Secret,
  ServiceAccount,
  TokenRequest,
  createClient,
  sleep,
  systemClock,
} from '@mcr/core';
import { objectKeyText } from '@mcr/core/provider';
import { type HubSecret, writeHubSecret } from './hub-secret.ts';
import { memberKubeconfig } from './member-kubeconfig.ts';
import { type Make, makerFor } from './steps.ts';

/** Name of the ServiceAccount in the member, and of the Secret with its token. */
const ACCOUNT = 'multicluster-kubeconfig-provider';

const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/** Shortest lifetime of a token that API servers accept, in seconds. */
export const SHORTEST_LIFETIME = 600;

/** Timeout and poll interval while the member issues the token, in milliseconds. */
const TOKEN_DEADLINE = 30_000;
const TOKEN_INTERVAL = 200;

export interface MemberAccess extends Omit<HubSecret, 'kubeconfig'> {
  readonly member: ClusterConfig;
  /** Permissions of the ServiceAccount in the member, which is in the namespace of the same name as the Secret's. */
  readonly rules: NonNullable<ClusterRole['rules']>;
  /** Lifetime of the token in seconds; each call issues a new one. Default: a token that does not expire, kept in the member. */
  readonly tokenLifetime?: number;
  /** Called once if the member has not issued the token yet. `atMost` is the timeout in milliseconds. */
  readonly onWait: (secret: string, atMost: number) => void;
}

/**
 * Gives the controllers of a hub access to a member: creates a ServiceAccount with a role and a token, and the labelled
 * Secret that adds the member to the fleet. A second call changes only what differs.
 * (Upstream: `create-kubeconfig-secret.sh`.)
 *
 * @throws {ApiError | TransportError} if a request fails.
 */
export async function giveAccess(access: MemberAccess, signal: AbortSignal): Promise<void> {
  const { namespace, name, rules } = access;
  await using member = createClient(access.member);
  const inMember = makerFor('member', member, access);

  const account = { namespace, name: ACCOUNT };
  await inMember(Namespace, { name: namespace }, () => undefined);
  await inMember(ServiceAccount, account, () => undefined);
  const role = { name: roleNameOf(namespace) };
  await inMember(ClusterRole, role, (made) => void (made.rules = rules));
  await inMember(ClusterRoleBinding, role, (binding) => {
    binding.roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...role };
    binding.subjects = [{ kind: 'ServiceAccount', ...account }];
  });
  await leaveSharedBinding(member, inMember, namespace);
  if (access.tokenLifetime === undefined) {
    await inMember(Secret, account, (secret) => {
      secret.type = 'kubernetes.io/service-account-token';
      secret.metadata.annotations = { ...secret.metadata.annotations, [ACCOUNT_ANNOTATION]: ACCOUNT };
    });
  }
  const token = access.isDryRun ? undefined : await tokenOf(member, account, access, signal);

  // In a dry run there is no token.
  const config: ClusterConfig = { ...access.member, auth: { type: 'token', token: token ?? '' } };
  const kubeconfig = token === undefined ? undefined : memberKubeconfig(name, withoutCertificate(config));
  await writeHubSecret({ ...access, ...(kubeconfig !== undefined && { kubeconfig }) });
}

/** The token is the only credential. */
function withoutCertificate({ tls, impersonate: _, proxyAuth: _password, ...config }: ClusterConfig): ClusterConfig {
  const { certData: _cert, keyData: _key, certFile: _certFile, keyFile: _keyFile, ...rest } = tls ?? {};
  return { ...config, tls: rest };
}

/**
 * Cluster-scoped objects have one name for each namespace, so that the accounts of two fleets that share a member have
 * separate permissions. Names of namespaces contain no colon, so two names never collide.
 */
const roleNameOf = (namespace: string): string => `${ACCOUNT}:${namespace}`;

/**
 * Earlier versions bound the accounts of all namespaces to one role. Removes this namespace's account from that binding,
 * so that it has only the permissions of its own role. Accounts of other namespaces keep theirs.
 */
async function leaveSharedBinding(client: ApiClient, inMember: Make, namespace: string): Promise<void> {
  const key = { name: ACCOUNT };
  const isOwn = (subject: NonNullable<ClusterRoleBinding['subjects']>[number]) =>
    subject.kind === 'ServiceAccount' && subject.namespace === namespace && subject.name === ACCOUNT;
  const shared = await client.find(ClusterRoleBinding, key);
  if (!shared?.subjects?.some(isOwn)) return;
  await inMember(ClusterRoleBinding, key, (binding) => {
    binding.subjects = (binding.subjects ?? []).filter((subject) => !isOwn(subject));
  });
}

async function tokenOf(
  client: ApiClient,
  key: ObjectKey,
  { tokenLifetime: expirationSeconds, onWait }: MemberAccess,
  signal: AbortSignal,
): Promise<string> {
  if (expirationSeconds === undefined) return keptToken(client, key, { onWait, signal });
  const request = { metadata: key, spec: { audiences: [], expirationSeconds } };
  const { status } = await client.subresource('token', TokenRequest).create(ServiceAccount, key, request, { signal });
  if (!status?.token)
    throw new Error(`the member issued no token for ServiceAccount ${objectKeyText(key)}: check its kube-apiserver`);
  return status.token;
}

/** Returns the token that the member writes to a Secret of the ServiceAccount. */
async function keptToken(
  client: ApiClient,
  key: ObjectKey,
  { onWait, signal }: Pick<MemberAccess, 'onWait'> & { readonly signal: AbortSignal },
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TOKEN_DEADLINE)]);
  for (let wasTold = false; ; wasTold = true) {
    const { data } = await client.get(Secret, key, { signal });
    const token = data?.['token'];
    if (token) return Buffer.from(token, 'base64').toString('utf8');
    if (!wasTold) onWait(objectKeyText(key), TOKEN_DEADLINE);
    await sleep(systemClock, TOKEN_INTERVAL, deadline).catch((cause: unknown) => {
      if (signal.aborted) throw cause;
      throw new Error(
        `the member wrote no token to Secret ${objectKeyText(key)} within ${TOKEN_DEADLINE} ms: check that its kube-controller-manager runs; a member without one, such as one of mcr dev or mcr-envtest, needs --token-lifetime`,
        { cause },
      );
    });
  }
}
