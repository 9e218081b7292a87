import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { createClient, createCluster, InMemoryProvider, ValidatingWebhookConfiguration } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet, createServingIdentity } from '@mcr/envtest';
import { Cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { RunningWebhooks } from '../server/server.fixture.ts';
import { installWebhooks } from './install-webhooks.ts';

const NAME = 'carts.shop.example.com';
/** Interval at which the files are read, in milliseconds. `checkInterval` of an installation is 30 times longer. */
const PERIOD = 10_000;
/** Step of the virtual time. Each waits for requests, so that time does not pass faster than the API servers answer. */
const STEP = 500;

describe('a change of the CA file', () => {
  const clock = new VirtualClock(Date.now());
  let fleet: ControlPlaneFleet;
  let clients: ApiClient[];
  let running: RunningWebhooks;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2 });
    clients = fleet.members.map(({ config }) => createClient(config));
    const provider = new InMemoryProvider({ clock });
    running = await RunningWebhooks.start({
      clock,
      provider,
      setUp: async (webhooks, manager) => {
        webhooks.register(webhookFor(Cart).validate({ create: () => undefined }));
        const url = 'https://webhooks.example.com';
        await installWebhooks(manager, webhooks, { name: NAME, url, failurePolicy: 'Ignore' });
      },
    });
    for (const { name, config } of fleet.members) provider.set(name, () => createCluster(config, { name, clock }));
    await eventually(async () => expect(await installed()).toEqual(inAll(running.caCertificate)));
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    for (const client of clients) await client[Symbol.asyncDispose]();
    await fleet.stop();
  });

  const inAll = <T>(value: T): T[] => fleet.members.map(() => value);
  /** Returns the CA bundle in each member, in PEM. */
  const installed = () =>
    Promise.all(
      clients.map(async (client) => {
        const found = await client.find(ValidatingWebhookConfiguration, { name: NAME });
        return Buffer.from(found?.webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString();
      }),
    );
  const pass = async (time: number) => {
    for (let rest = time; rest > 0; rest -= STEP) {
      await installed();
      await clock.advance(STEP);
    }
  };
  const states = () =>
    fleet.members.map(({ name }) => {
      const { phase, reason } = running.manager.fleet.get(name) ?? {};
      return { phase, reason };
    });

  it('WH-3: reaches every cluster when the server has read the files', async () => {
    await running.renew();
    await pass(PERIOD);
    await eventually(async () => expect(await installed()).toEqual(inAll(running.caCertificate)));
  });

  it('WH-3: is refused when the CA has not issued the certificate, with the reason in the fleet status and the log', async () => {
    const file = join(running.certDir, 'ca.crt');
    const { caCertificate: other } = await createServingIdentity();
    await writeFile(file, other);
    await pass(PERIOD);
    const reason = expect.stringContaining(`${file}: none of its CAs has issued the certificate`);
    await eventually(() => expect(states()).toEqual(inAll({ phase: 'Degraded', reason })));
    expect(running.logged('failed to install webhooks, retrying')).toEqual(
      inAll(expect.objectContaining({ fields: expect.objectContaining({ error: expect.any(Error) }) })),
    );
    expect(await installed()).toEqual(inAll(running.caCertificate));

    await writeFile(file, `${running.caCertificate}${other}`);
    await eventually(async () => {
      await pass(STEP);
      expect(states()).toEqual(inAll({ phase: 'Engaged', reason: expect.any(String) }));
    });
    expect(await installed()).toEqual(inAll(`${running.caCertificate}${other}`));
  });
});
