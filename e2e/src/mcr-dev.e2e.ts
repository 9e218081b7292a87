import { describe, expect, it } from '@jest/globals';
import { type ApiClient, ConfigMap, createClient, Lease, loadKubeconfig } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { DevProject } from '../../packages/cli/src/dev/dev.fixture.ts';

const CONFIG = `
import { ConfigMap } from '@mcr/core';
import { createWebhookServer, deny, installWebhooks, webhookFor } from '@mcr/webhook';
const service = { namespace: 'a', name: 'a-webhook' };
export default {
  name: 'a',
  namespace: 'a',
  webhooks: { port: 9443 },
  manager: () => ({
    sharding: { name: 'a', namespace: 'a' },
    metrics: { bindAddress: '0' },
    health: { bindAddress: process.env.HEALTH_ADDRESS },
  }),
  setup: async (manager) => {
    const server = await createWebhookServer(manager, {
      bindAddress: process.env.WEBHOOK_ADDRESS ?? ':9443',
      certificate: { secret: { namespace: 'a', name: 'certificate' }, hosts: ['a-webhook.a.svc'] },
    });
    const message = 'refused by the webhook';
    server.register(webhookFor(ConfigMap).with({ objectSelector: { matchLabels: { bad: 'yes' } } }).validate({ create: () => deny(message) }));
    await installWebhooks(manager, server, { name: 'a.example.com', service });
  },
};
`;
const mainOf = (word: string) => `
import { createManager, shutdownSignal } from '@mcr/core';
import config from './mcr.config.ts';
const manager = await createManager(config.manager());
await config.setup(manager);
console.log(\`${word} runs as \${process.pid}\`);
await manager.start(shutdownSignal().signal);
`;

/** Deadline of each step, in milliseconds. */
const WITHIN = { deadline: 60_000 };

/** Names of the members of the group: the holders of its Leases. */
async function holders(client: ApiClient): Promise<string[]> {
  const { items } = await client.list(Lease, { namespace: 'a' });
  const named = items.map(({ spec }) => spec?.holderIdentity ?? '');
  return named.filter((name) => name !== '');
}

describe('mcr dev with webhooks by Service, and sharding', () => {
  it('WB-2: calls the webhooks also during a rolling restart, and releases the Leases of a replica that crashed', async () => {
    await using project = await DevProject.create({ 'mcr.config.ts': CONFIG, 'main.ts': mainOf('first') });
    project.start('--replicas', '3');
    const kubeconfig = await project.matched(/^export KUBECONFIG=(.*)$/mu);
    for (const index of [0, 1, 2]) await project.matched(new RegExp(`^a-${index} started`, 'mu'));
    const crashed = Number(await project.matched(/^a-0 \| first runs as (\d+)$/mu));
    await using client = createClient(loadKubeconfig({ path: kubeconfig }));
    let count = 0;
    const refused = async (): Promise<void> => {
      const metadata = { namespace: 'default', name: `object-${++count}`, labels: { bad: 'yes' } };
      await expect(client.create(ConfigMap, { metadata })).rejects.toThrow('refused by the webhook');
    };
    await eventually(refused, WITHIN);
    await eventually(async () => expect(await holders(client)).toHaveLength(3), WITHIN);
    const before = (await holders(client)).find((name) => name.startsWith('a-0-'));

    // It cannot release its Lease itself.
    process.kill(crashed, 'SIGKILL');
    await project.matched(/^mcr: a-0 ended with SIGKILL: waiting for a change$/mu);
    expect(await holders(client)).toContain(before);
    await refused();

    await project.write({ 'main.ts': mainOf('second') });
    await project.matched(/^a-0 restarted because main\.ts changed/mu);
    expect(await holders(client)).not.toContain(before);
    count = 0;
    while (!/^a-2 restarted because main\.ts changed/mu.test(project.out)) await refused();
    expect(count).toBeGreaterThan(0);
    await eventually(async () => expect(await holders(client)).toHaveLength(3), WITHIN);
    // A signal to the process group reaches the clusters, too. They outlive the replicas, which leave the group.
    const server = await project.serverProcess();
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) process.kill(server, signal);
    project.kill('SIGTERM');
    expect(await project.ended()).toBe(143);
    for (const index of [0, 1, 2]) expect(project.out).toMatch(new RegExp(`^a-${index} \\| .*"left the group"`, 'mu'));
    expect(await project.leftovers()).toEqual([]);
  }, 300_000);
});
