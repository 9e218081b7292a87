import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Manager, Provider } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createClient, createManager, silentLogger } from '@mcr/core';
import { eventually, RequestRecorder } from '@mcr/core/testing';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { startFleet } from '@mcr/envtest';

interface Entry {
  readonly name: string;
  readonly state: string;
  readonly kubeconfig: string;
}

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'custom-providers.md');

describe('the provider of docs/custom-providers.md', () => {
  let fleet: ControlPlaneFleet;
  let members: [ControlPlane, ControlPlane];
  let clients: ApiClient[];
  let inventory: Server;
  /** What the inventory answers; a number is a status. */
  let answer: readonly Entry[] | number;
  let directory: string;
  let manager: Manager;
  let stopped: Promise<void>;
  const recorder = new RequestRecorder();
  const end = new AbortController();

  const entryOf = ({ name, kubeconfig }: ControlPlane, change: Partial<Entry> = {}): Entry => ({
    name,
    state: 'ready',
    kubeconfig,
    ...change,
  });
  const phaseIs = (name: string, phase: string) => eventually(() => manager.fleet.get(name)?.phase === phase);

  beforeAll(async () => {
    fleet = await startFleet({ members: 2 });
    const [one, two] = fleet.members;
    if (!one || !two) throw new Error('expected two members');
    members = [one, two];
    clients = members.map(({ config }) => createClient(config));
    for (const client of clients) {
      await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
    }
    answer = [entryOf(one), entryOf(two, { state: 'pending' })];
    const server = createServer((_, response) => {
      if (typeof answer === 'number') response.writeHead(answer);
      response.end(JSON.stringify(answer));
    });
    inventory = server;
    await once(server.listen(0, '127.0.0.1'), 'listening');

    // Inside this package, so that the program finds what it imports.
    const programs = join(import.meta.dirname, '..', '.mcr');
    await mkdir(programs, { recursive: true });
    directory = await mkdtemp(join(programs, 'provider-'));
    const file = join(directory, 'http-inventory-provider.ts');
    await writeFile(file, /```ts\n(.*?)```/su.exec(await readFile(DOCUMENT, 'utf8'))?.[1] ?? '');
    const { HttpInventoryProvider } = (await import(pathToFileURL(file).href)) as {
      HttpInventoryProvider: new (options: { url: string; pollInterval: number }) => Provider;
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clusters`;
    manager = await createManager({
      config: fleet.hub.config,
      provider: new HttpInventoryProvider({ url, pollInterval: 20 }),
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager).for(ConfigMap).complete(recorder);
    stopped = manager.start(end.signal);
  });

  afterAll(async () => {
    end.abort();
    await stopped;
    inventory.close();
    await Promise.all(clients.map((client) => client.close()));
    await fleet.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('engages the clusters that are ready, and says of the others that they are not', async () => {
    await recorder.waitFor({ clusterName: 'member-1', name: 'settings' });
    expect(manager.fleet.get('member-2')?.phase).toBe('Discovered');
    expect(recorder.requests.filter(({ clusterName }) => clusterName === 'member-2')).toEqual([]);
  });

  it('engages a cluster that becomes ready', async () => {
    answer = members.map((member) => entryOf(member));
    await recorder.waitFor({ clusterName: 'member-2', name: 'settings' });
    await phaseIs('member-2', 'Engaged');
  });

  it('keeps the fleet while the inventory fails, or has a record that cannot be used', async () => {
    for (const broken of [503, [entryOf(members[0]), entryOf(members[1], { kubeconfig: 'nonsense' })]]) {
      answer = broken;
      await once(inventory, 'request');
      await once(inventory, 'request');
      expect(manager.fleet.get('member-1')?.phase).toBe('Engaged');
      expect(manager.fleet.get('member-2')?.phase).toBe('Engaged');
    }
    await eventually(() => manager.fleet.get('member-2')?.reason.includes('kubeconfig'));
  });

  it('uses new credentials without engaging the cluster anew', async () => {
    const [, two] = members;
    const since = manager.fleet.get('member-2')?.since;
    const { kubeconfig } = await two.issueToken();
    answer = [entryOf(members[0]), entryOf(two, { kubeconfig })];
    await eventually(() => manager.fleet.get('member-2')?.reason.includes('credentials'));
    await two.revokeToken(two);
    recorder.clear();
    const renewed = await two.issueToken();
    await using client = createClient(renewed.config);
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'later' } });
    await recorder.waitFor({ clusterName: 'member-2', name: 'later' });
    expect(manager.fleet.get('member-2')?.since).toBe(since);
  });

  it('disengages a cluster that the inventory no longer lists', async () => {
    answer = [entryOf(members[0])];
    await phaseIs('member-2', 'Disengaged');
    expect(manager.fleet.get('member-1')?.phase).toBe('Engaged');
  });
});
