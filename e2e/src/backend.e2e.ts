import { describe, expect, it } from '@jest/globals';
import {
  ConfigMap,
  controllerManagedBy,
  createClient,
  createCluster,
  createManager,
  InMemoryProvider,
  silentLogger,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { startFleet } from '@mcr/envtest';

/** With Kind, control planes take minutes to be made. */
const DEADLINE = 900_000;

describe('control planes of the backend that MCR_BACKEND names', () => {
  it(
    'are worked in by a controller, through a rotation of its credentials',
    async () => {
      await using fleet = await startFleet({ members: 1 });
      const [member] = fleet.members;
      if (!member) throw new Error('expected a member');
      await using admin = createClient(member.config);
      const key = (name: string) => ({ namespace: 'default', name });
      const output = async (name: string) => (await admin.get(ConfigMap, key(name))).data?.['output'];

      const provider = new InMemoryProvider();
      const manager = await createManager({
        config: fleet.hub.config,
        provider,
        logger: silentLogger,
        metrics: { bindAddress: '0' },
      });
      await controllerManagedBy(manager)
        .named('outputs')
        .for(ConfigMap)
        .complete(async (request, { cluster }) => {
          const { client } = await cluster();
          const { data } = await client.get(ConfigMap, request);
          if (data?.['input'] === undefined || data['output'] === data['input']) return;
          await client.patch(ConfigMap, request, { data: { output: data['input'] } }, 'merge');
        });
      const first = await member.issueToken();
      provider.set('member', createCluster(first.config, { name: 'member' }));
      const end = new AbortController();
      const stopped = manager.start(end.signal);

      await admin.create(ConfigMap, { metadata: key('before'), data: { input: 'a' } });
      await eventually(async () => expect(await output('before')).toBe('a'), { deadline: 60_000 });
      const cluster = await manager.getCluster('member');
      provider.set('member', createCluster((await member.issueToken()).config, { name: 'member' }));
      await eventually(() => manager.fleet.get('member')?.reason === 'its credentials were rotated in place');
      await member.revokeToken(first);
      await admin.create(ConfigMap, { metadata: key('after'), data: { input: 'b' } });
      await eventually(async () => expect(await output('after')).toBe('b'), { deadline: 60_000 });
      expect(await manager.getCluster('member')).toBe(cluster);

      end.abort();
      await stopped;
    },
    DEADLINE,
  );
});
