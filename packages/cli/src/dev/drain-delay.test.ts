import { describe, expect, it } from '@jest/globals';
import { DevProject } from './dev.fixture.ts';

const CONFIG = `
import { ConfigMap } from '@mcr/core';
import { createWebhookServer, installWebhooks, webhookFor } from '@mcr/webhook';
const service = { namespace: 'a', name: 'a-webhook' };
export default {
  name: 'a',
  namespace: 'a',
  webhooks: { port: 9443 },
  manager: () => ({
    gracefulShutdownTimeout: -1,
    metrics: { bindAddress: '0' },
    health: { bindAddress: process.env.HEALTH_ADDRESS },
  }),
  setup: async (manager) => {
    const server = await createWebhookServer(manager, {
      bindAddress: process.env.WEBHOOK_ADDRESS ?? ':9443',
      drainDelay: Number(process.env.WEBHOOK_DRAIN_DELAY ?? 600_000),
      certificate: { secret: { namespace: 'a', name: 'certificate' }, hosts: ['a-webhook.a.svc'] },
    });
    server.register(webhookFor(ConfigMap).validate({ create: () => undefined }));
    await installWebhooks(manager, server, { name: 'a.example.com', service });
  },
};
`;
const mainOf = (word: string) => `
import { createManager, shutdownSignal } from '@mcr/core';
import config from './mcr.config.ts';
const manager = await createManager(config.manager());
await config.setup(manager);
await manager.start(shutdownSignal().signal);
console.log('${word} has ended by itself');
`;

describe('mcr dev with a webhook server', () => {
  it('WB-2: a restart does not wait until load balancers notice that the webhook server ends', async () => {
    await using project = await DevProject.create({ 'mcr.config.ts': CONFIG, 'main.ts': mainOf('first') });
    project.start();
    await project.matched(/"server":"webhooks"|server="webhooks"/u);
    await project.write({ 'main.ts': mainOf('second') });
    await project.matched(/^a restarted because main\.ts changed/mu);
    expect(project.out).toContain('first has ended by itself\n');
    project.kill('SIGINT');
    expect(await project.ended()).toBe(130);
  });
});
