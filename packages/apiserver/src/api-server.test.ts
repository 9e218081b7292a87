import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiServer, StatusError } from './index.ts';
import { CONFIG_MAPS, configMap, RawClient } from './raw-client.fixture.ts';

const OPTIONS = { historyLimit: 10_000, bookmarkInterval: 60_000, featureGates: {}, controllers: true };
const HUB = { name: 'hub', port: 0, crds: [] };

describe('an API server in the process of its caller', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mcr-apiserver-'));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  it('keeps clusters in its data directory, with port, token, certificate and objects', async () => {
    const first = await ApiServer.start({ ...OPTIONS, dataDir });
    const address = await first.createCluster(HUB);
    const config = {
      server: `https://127.0.0.1:${address.port}`,
      tls: { caData: address.caCertificate },
      auth: { type: 'token', token: address.token },
    } as const;
    using client = new RawClient(config);
    await client.post(CONFIG_MAPS, configMap('settings'));
    await first.stop();

    const second = await ApiServer.start({ ...OPTIONS, dataDir });
    try {
      expect(await second.createCluster(HUB)).toEqual(address);
      using reconnected = new RawClient(config);
      expect((await reconnected.get(`${CONFIG_MAPS}/settings`)).status).toBe(200);
    } finally {
      await second.stop();
    }
  });

  it('names the file in its data directory that it cannot read, and says what to do', async () => {
    const broken = await mkdtemp(join(tmpdir(), 'mcr-apiserver-'));
    const nextStep = 'delete the file, or use another directory';
    try {
      const server = await ApiServer.start({ ...OPTIONS, dataDir: broken });
      const journal = join(broken, 'hub.ndjson');
      await writeFile(journal, '{"op":"listen","port":1}\ngarbage\n');
      const message = `${journal}: line 2 is not an entry of an API server's journal: ${nextStep}`;
      await expect(server.createCluster(HUB)).rejects.toThrow(message);
      await server.stop();

      const identity = join(broken, 'identity.json');
      await writeFile(identity, '{}');
      const start = (dataDir: string) => ApiServer.start({ ...OPTIONS, dataDir });
      await expect(start(broken)).rejects.toThrow(`${identity} is not the certificate of an API server: ${nextStep}`);
      await expect(start(identity)).rejects.toThrow(/^dataDir: EEXIST: .*: use another directory$/);
    } finally {
      await rm(broken, { recursive: true });
    }
  });

  it('locks its data directory, and takes over the lock of a process that has ended', async () => {
    const locked = await mkdtemp(join(tmpdir(), 'mcr-apiserver-'));
    try {
      const server = await ApiServer.start({ ...OPTIONS, dataDir: locked });
      const second = ApiServer.start({ ...OPTIONS, dataDir: locked });
      await expect(second).rejects.toThrow(
        `${locked} is used by the API server of process ${process.pid} (${join(locked, 'lock')}): stop it, or use another directory`,
      );
      await server.stop();
      for (const stale of [String(2 ** 22), '']) {
        await writeFile(join(locked, 'lock'), stale);
        await (await ApiServer.start({ ...OPTIONS, dataDir: locked })).stop();
      }
      await writeFile(join(locked, 'lock'), '1');
      await expect(ApiServer.start({ ...OPTIONS, dataDir: locked })).rejects.toThrow('process 1');
    } finally {
      await rm(locked, { recursive: true });
    }
  });

  it('refuses a second cluster of the same name, an invalid definition, and a command to an unknown cluster', async () => {
    const server = await ApiServer.start(OPTIONS);
    try {
      await server.createCluster(HUB);
      await expect(server.createCluster(HUB)).rejects.toThrow('the cluster "hub" already exists: use another name');
      const invalid = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'a' },
      };
      await expect(server.createCluster({ name: 'other', port: 0, crds: [invalid] })).rejects.toThrow(StatusError);
      const command = { method: 'compact', name: 'nowhere' } as const;
      await expect(server.execute(command)).rejects.toThrow('the cluster "nowhere" does not exist');
    } finally {
      await server.stop();
    }
  });
});
