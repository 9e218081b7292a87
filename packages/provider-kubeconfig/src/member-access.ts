import { readFileSync } from 'node:fs';
import type { ApiClient, ClusterConfig, Kind, KubernetesObject, Mutate, ObjectKey, WriteOutcome } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  Secret,
  ServiceAccount,
  TokenRequest,
  createClient,
  createOrUpdate,
  sleep,
  systemClock,
} from '@mcr/core';
import { objectKeyText } from '@mcr/core/provider';
import { stringify } from 'yaml';

/** Name of the ServiceAccount in the member, and of the Secret with its token. */
const ACCOUNT = 'multicluster-kubeconfig-provider';

const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/** How long the member may take to fill in the token, in milliseconds, and how often it is asked. */
const TOKEN_DEADLINE = 30_000;
const TOKEN_INTERVAL = 200;

export interface MemberAccess {
  readonly member: ClusterConfig;
  readonly hub: ClusterConfig;
  /** Namespace of the Secret in the hub, and of the ServiceAccount in the member. Created if it does not exist. */
  readonly namespace: string;
  /** Of the Secret, and so of the cluster. */
  readonly name: string;
  readonly secretLabel: string;
  readonly secretKey: string;
  /** What the ServiceAccount may do in the member. */
  readonly rules: NonNullable<ClusterRole['rules']>;
  /** In seconds: the token is another one each time. Default: it does not expire, and is kept in the member. */
  readonly tokenLifetime?: number;
  /** Nothing is written: what is told would be. */
  readonly isDryRun: boolean;
  readonly onStep: (step: AccessStep) => void;
  /** The token is not there yet: it is waited for, so many milliseconds at most. */
  readonly onWait: (secret: string, atMost: number) => void;
}

/** What became of one object. */
export interface AccessStep {
  readonly cluster: 'member' | 'hub';
  readonly kind: string;
  /** With its namespace, if any. */
  readonly object: string;
  readonly result: WriteOutcome<KubernetesObject>['result'];
}

/**
 * Gives the controllers of a hub access to a member: a ServiceAccount with a role and a token, and the labelled
 * Secret that makes the member a cluster of the fleet. Once more changes nothing that is as it should be.
 * (Upstream: `create-kubeconfig-secret.sh`.)
 *
 * @throws {ApiError | TransportError} what keeps it from being made.
 */
export async function giveAccess(access: MemberAccess, signal: AbortSignal): Promise<void> {
  const { namespace, name, rules } = access;
  await using member = createClient(access.member);
  await using hub = createClient(access.hub);
  const inMember = maker('member', member, access);
  const inHub = maker('hub', hub, access);

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

  await inHub(Namespace, { name: namespace }, () => undefined);
  await inHub(Secret, { namespace, name }, (secret) => {
    secret.metadata.labels = { ...secret.metadata.labels, [access.secretLabel]: 'true' };
    // What the token will be is not known before there is one.
    if (token === undefined) return;
    const kubeconfig = Buffer.from(kubeconfigOf(name, access.member, token)).toString('base64');
    secret.data = { ...secret.data, [access.secretKey]: kubeconfig };
  });
}

/**
 * Cluster-scoped objects have one name for each namespace: the accounts of two fleets that share a member have
 * rights of their own. The name of a namespace has no colon, so two never collide.
 */
const roleNameOf = (namespace: string): string => `${ACCOUNT}:${namespace}`;

/**
 * Earlier versions bound the accounts of all namespaces to one role. Removes this namespace's account from that binding,
 * so that it has the rights of its own role alone; accounts of other namespaces keep theirs.
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

type Make = <T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, mutate: Mutate<T>) => Promise<void>;

function maker(cluster: AccessStep['cluster'], client: ApiClient, { isDryRun, onStep }: MemberAccess): Make {
  return async (kind, key, mutate) => {
    const { result } = await createOrUpdate(isDryRun ? readOnly(client) : client, kind, key, mutate);
    onStep({ cluster, kind: kind.kind, object: objectKeyText(key), result });
  };
}

/** The server's own dry run would refuse objects of a namespace that is not there yet. */
function readOnly(client: ApiClient): Pick<ApiClient, 'find' | 'create' | 'update'> {
  return {
    find: (...read) => client.find(...read),
    // Nobody looks at the object, only at what would become of it.
    create: async (_, draft) => draft as never,
    update: async (_, draft) => draft as never,
  };
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
  if (!status?.token) throw new Error(`the member has issued no token for ServiceAccount ${objectKeyText(key)}`);
  return status.token;
}

/** The token that the member puts into a Secret of its ServiceAccount. */
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
        `the member has put no token into Secret ${objectKeyText(key)} within ${TOKEN_DEADLINE} ms: check that its kube-controller-manager runs, or ask for a token with --token-lifetime`,
        { cause },
      );
    });
  }
}

function kubeconfigOf(name: string, { server, tls, proxyUrl }: ClusterConfig, token: string): string {
  const authority = tls?.caData ?? (tls?.caFile === undefined ? undefined : readFileSync(tls.caFile, 'utf8'));
  const cluster = {
    server,
    ...(authority !== undefined && { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(tls?.serverName !== undefined && { 'tls-server-name': tls.serverName }),
    ...(tls?.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
