import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ApiClient,
  type ClusterConfig,
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  createCluster,
  createLogger,
  createManager,
  defineKind,
  Deployment,
  InMemoryProvider,
  type KubernetesObject,
  Namespace,
  Role,
  Secret,
  ServiceAccount,
  TokenRequest,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { type ControlPlane, type ControlPlaneFleet, createControlPlaneFleet } from '@mcr/envtest';
import { parseAllDocuments } from 'yaml';
import { describeConfig } from '../project/describe-project.ts';
import { generatedFiles } from './run-generate.ts';
import config, { Shop } from './shop.fixture.ts';

const ACCOUNT = { namespace: config.namespace, name: config.name };
/** Deadline of each step, in milliseconds. */
const WITHIN = { deadline: 50_000 };

/** Applies the files of a folder in the order of its kustomization. */
async function applyFolder(plane: ControlPlane, folder: string): Promise<void> {
  const files = new Map(
    generatedFiles(await describeConfig('mcr.config.ts', config)).map(({ path, text }) => [path, text]),
  );
  const parsed = (path: string) =>
    parseAllDocuments(files.get(`${folder}/${path}`) ?? '').map((each) => each.toJS() as unknown);
  const [kustomization] = parsed('kustomization.yaml') as [{ readonly resources: readonly string[] }];
  await using client = createClient(plane.config);
  for (const object of kustomization.resources.flatMap(parsed) as KubernetesObject[]) {
    const kind = defineKind({ apiVersion: object.apiVersion, kind: object.kind });
    await client.apply(kind, object, { fieldManager: 'kubectl', fieldValidation: 'Strict' });
  }
}

/** Returns a config with a token of the account. */
async function asAccount({ config: admin }: ControlPlane): Promise<ClusterConfig> {
  await using client = createClient(admin);
  const { status } = await client
    .subresource('token', TokenRequest)
    .create(ServiceAccount, ACCOUNT, { metadata: ACCOUNT, spec: { audiences: [] } });
  if (status?.token === undefined) throw new Error('the API server returned no token');
  const { caData } = admin.tls ?? {};
  return {
    server: admin.server,
    tls: { ...(caData !== undefined && { caData }) },
    auth: { type: 'token', token: status.token },
  };
}

describe('a program under the generated manifests', () => {
  let fleet: ControlPlaneFleet;
  let member: ControlPlane;
  let clients: { readonly hub: ApiClient; readonly member: ApiClient };
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    [member = fleet.hub] = fleet.members;
    clients = { hub: createClient(fleet.hub.config), member: createClient(member.config) };
    await clients.hub.create(Namespace, { metadata: { name: 'keys' } });
    await clients.hub.create(Secret, { metadata: { namespace: 'keys', name: 'shop-key' }, data: { key: 'a2V5' } });
    await applyFolder(fleet.hub, 'base');
    await applyFolder(member, 'members');
    // The account of the kubeconfig of a member is bound to its role by the person who adds the member.
    await clients.member.create(Namespace, { metadata: { name: ACCOUNT.namespace } });
    await clients.member.create(ServiceAccount, { metadata: ACCOUNT });
    await clients.member.create(ClusterRoleBinding, {
      metadata: { name: ACCOUNT.name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ACCOUNT.name },
      subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
    });
  });
  afterAll(async () => {
    await clients.hub[Symbol.asyncDispose]();
    await clients.member[Symbol.asyncDispose]();
    await fleet.stop();
  });

  /** Runs the program until `isDone` passes. @returns its log. */
  async function runUntil(isDone: (log: string) => boolean | Promise<boolean>): Promise<string> {
    let log = '';
    const logger = createLogger({ format: 'json', destination: { write: (line) => void (log += line) } });
    const provider = new InMemoryProvider();
    const manager = await createManager({
      ...config.manager(),
      provider,
      config: await asAccount(fleet.hub),
      // In a Pod, this is the namespace of the Pod.
      leaderElection: { id: config.name, namespace: config.namespace },
      health: { bindAddress: '127.0.0.1:0' },
      metrics: { bindAddress: '0' },
      logger,
    });
    await config.setup(manager);
    provider.set('eu', createCluster(await asAccount(member), { name: 'eu', logger }));
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    try {
      await Promise.race([stopped, eventually(() => isDone(log), WITHIN)]);
    } catch (cause) {
      throw new Error(`${(cause as Error).message}\n${log}`, { cause });
    } finally {
      end.abort();
      await stopped;
    }
    return log;
  }

  const createShop = (name: string) =>
    clients.member.create(Shop, { metadata: { namespace: 'default', name }, spec: { image: 'example.com/shop' } });
  const statusOf = async (name: string) => (await clients.member.get(Shop, { namespace: 'default', name })).status;

  it('WB-3: the API server accepts the manifests, and a program runs with these permissions alone', async () => {
    const deployment = await clients.hub.get(Deployment, ACCOUNT);
    expect(deployment.spec?.replicas).toBe(2);
    await createShop('first');
    const log = await runUntil(async () => (await statusOf('first'))?.key === 'a2V5');
    expect(log).not.toMatch(/forbidden|cannot/u);
    expect(await clients.member.find(Deployment, { namespace: 'default', name: 'first' })).toBeDefined();
  });

  it('WB-3: without one rule of a member, the refusal names it', async () => {
    const role = await clients.member.get(ClusterRole, { name: ACCOUNT.name });
    const rules = role.rules?.filter(({ resources }) => !resources?.includes('shops/status')) ?? [];
    expect(rules.length).toBe((role.rules?.length ?? 0) - 1);
    await clients.member.update(ClusterRole, { ...role, rules: [...rules] });
    await createShop('second');
    await runUntil((log) =>
      log.includes('cannot patch resource \\"shops/status\\" in API group \\"shop.example.com\\"'),
    );
    expect((await statusOf('second'))?.key).toBeUndefined();
  });

  it('WB-3: without one rule of the local cluster, the refusal names it', async () => {
    const role = await clients.hub.get(Role, { namespace: 'keys', name: `${ACCOUNT.name}-keys` });
    await clients.hub.update(Role, { ...role, rules: [] });
    await createShop('third');
    await runUntil((log) =>
      log.includes('cannot get resource \\"secrets\\" in API group \\"\\" in the namespace \\"keys\\"'),
    );
    expect((await statusOf('third'))?.key).toBeUndefined();
  });
});
