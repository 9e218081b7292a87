import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallOptions, Client, InformerHandler } from '@mcr/client';
import { ApiError, createCache, createClient, Lease, systemClock, TransportError } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { eventually } from '../../testing/eventually.ts';
import { InMemoryClient } from '../../testing/in-memory-client.ts';
import type { HubAnswer, HubRequest, HubSnapshot } from '../membership/hub-request.ts';
import type { MemberRecord } from '../membership/member-record.ts';
import type { Plan } from '../plan/plan.ts';
import type { ShardGroup } from './group.ts';
import { GROUP_LABEL } from './group.ts';
import { LeaseHub } from './lease-hub.ts';
import type { LeaseHubOptions } from './lease-hub.ts';

const group: ShardGroup = { name: 'copier', namespace: 'default', slots: 4 };
const alive = new AbortController().signal;

function recordOf(name: string, changes: Partial<MemberRecord> = {}): MemberRecord {
  return {
    name,
    acked: { epoch: 0, id: '' },
    held: new Set(),
    warm: new Set(),
    state: 'active',
    weight: 1,
    formats: [1],
    leaseDuration: 12_000,
    margin: 3_000,
    sequence: 1,
    ...changes,
  };
}

function planOf(owner: string, epoch = 1): Plan {
  const slots = Array.from({ length: group.slots }, () => ({ owner, since: 1, wait: [] }));
  return { epoch, id: `plan-${epoch}`, members: [owner], slots };
}

function versionOf(answer: HubAnswer): string {
  if (answer.type !== 'written') throw new Error(`the answer is ${JSON.stringify(answer)}`);
  return answer.resourceVersion;
}

function snapshotOf(answer: HubAnswer): HubSnapshot {
  if (answer.type !== 'snapshot') throw new Error(`the answer is ${JSON.stringify(answer)}`);
  return answer.snapshot;
}

function messageOf(answer: HubAnswer): string {
  return answer.type === 'failed' ? answer.error.message : `the answer is ${answer.type}`;
}

const create = (name: string): HubRequest => ({ type: 'renew', record: recordOf(name), resourceVersion: undefined });

/** The same behavior is expected of an API server and of the client in memory. */
const backends = { 'an API server': true, 'a client in memory': false };

for (const [backend, isServer] of Object.entries(backends)) {
  describe(`the Leases of a group on ${backend}`, () => {
    let plane: ControlPlane | undefined;
    let client: Client;
    let hub: LeaseHub;
    let names = 0;
    let its: ShardGroup;

    beforeAll(async () => {
      plane = isServer ? await createControlPlane() : undefined;
      client = plane ? createClient(plane.config) : new InMemoryClient();
    });
    beforeEach(() => {
      its = { ...group, name: `copier-${++names}` };
      const noCache = { subscribe: () => Promise.reject(new Error('not used')) };
      hub = new LeaseHub({ group: its, client, cache: noCache, clock: systemClock, timeout: 5_000 });
    });
    afterAll(() => plane?.stop());

    const perform = (request: HubRequest) => hub.perform(request, { signal: alive });
    const read = async () => snapshotOf(await perform({ type: 'read' }));

    it('creates, renews and reads the Lease of a member', async () => {
      expect(await read()).toEqual({ members: new Map() });
      const first = versionOf(await perform(create('a-0')));
      const record = recordOf('a-0', { sequence: 2, held: new Set([3]), loads: new Map([[3, 1]]) });
      const second = versionOf(await perform({ type: 'renew', record, resourceVersion: first }));
      expect(second).not.toBe(first);
      expect((await read()).members.get('a-0')).toEqual({
        type: 'member',
        name: 'a-0',
        resourceVersion: second,
        record,
      });
    });

    it('reports a conflict, and writes nothing, if another write came first', async () => {
      const first = versionOf(await perform(create('a-0')));
      expect(await perform(create('a-0'))).toEqual({ type: 'conflict' });
      await perform({ type: 'renew', record: recordOf('a-0', { sequence: 2 }), resourceVersion: first });
      const late: HubRequest = { type: 'renew', record: recordOf('a-0', { sequence: 9 }), resourceVersion: first };
      expect(await perform(late)).toEqual({ type: 'conflict' });
      expect((await read()).members.get('a-0')).toMatchObject({ record: { sequence: 2 } });
    });

    it('does not create a Lease again that was deleted', async () => {
      const version = versionOf(await perform(create('a-0')));
      await perform({ type: 'forget', name: 'a-0', resourceVersion: version });
      const renewal: HubRequest = { type: 'renew', record: recordOf('a-0', { sequence: 2 }), resourceVersion: version };
      expect(await perform(renewal)).toEqual({ type: 'conflict' });
      expect((await read()).members.size).toBe(0);
    });

    it('SH-3: does not create the plan again that was deleted', async () => {
      const first: HubRequest = { type: 'write plan', plan: planOf('a-0'), resourceVersion: undefined };
      const resourceVersion = versionOf(await perform(first));
      await client.delete(Lease, { namespace: its.namespace, name: `${its.name}-plan` });
      const next: HubRequest = { type: 'write plan', plan: planOf('a-0', 2), resourceVersion };
      expect(await perform(next)).toEqual({ type: 'conflict' });
      expect((await read()).plan).toBeUndefined();
    });

    it('creates the plan once, and replaces it only on the version it was computed from', async () => {
      const first = versionOf(await perform({ type: 'write plan', plan: planOf('a-0'), resourceVersion: undefined }));
      const again: HubRequest = { type: 'write plan', plan: planOf('b-0'), resourceVersion: undefined };
      expect(await perform(again)).toEqual({ type: 'conflict' });
      const next: HubRequest = { type: 'write plan', plan: planOf('a-0', 2), resourceVersion: first };
      const second = versionOf(await perform(next));
      expect(await perform(next)).toEqual({ type: 'conflict' });
      expect(await read()).toMatchObject({ plan: { type: 'plan', resourceVersion: second, plan: planOf('a-0', 2) } });
    });

    it('releases the own Lease, and evicts another member only on the version that was read', async () => {
      const own = versionOf(await perform(create('a-0')));
      const other = versionOf(await perform(create('b-0')));
      await perform({ type: 'release', record: recordOf('a-0', { sequence: 2 }), resourceVersion: own });
      expect((await read()).members.get('a-0')).toMatchObject({ type: 'out' });
      // It renews after it was read.
      const renewed: HubRequest = {
        type: 'renew',
        record: recordOf('b-0', { sequence: 2 }),
        resourceVersion: other,
      };
      const current = versionOf(await perform(renewed));
      expect(await perform({ type: 'evict', name: 'b-0', resourceVersion: other })).toEqual({ type: 'conflict' });
      expect(await perform({ type: 'evict', name: 'b-0', resourceVersion: current })).toEqual({ type: 'conflict' });
      await read();
      expect(await perform({ type: 'evict', name: 'b-0', resourceVersion: current })).toMatchObject({
        type: 'written',
      });
      expect((await read()).members.get('b-0')).toMatchObject({ type: 'out' });
      // The content stays, for people who look for the reason.
      const { items } = await client.list(Lease, { namespace: 'default', labelSelector: `${GROUP_LABEL}=${its.name}` });
      const evicted = items.find(({ metadata }) => metadata.name.endsWith('b-0'));
      expect(evicted?.metadata.annotations?.['shard.mcr.dev/sequence']).toBe('2');
    });

    it('deletes a Lease only on the version that was read', async () => {
      const version = versionOf(await perform(create('a-0')));
      expect(await perform({ type: 'forget', name: 'a-0', resourceVersion: '1' })).toEqual({ type: 'conflict' });
      expect(await perform({ type: 'forget', name: 'a-0', resourceVersion: version })).toMatchObject({
        type: 'written',
      });
      expect((await read()).members.size).toBe(0);
      expect(await perform({ type: 'forget', name: 'a-0', resourceVersion: version })).toEqual({ type: 'conflict' });
    });

    it('reads Leases of its own group, and none that no member wrote', async () => {
      await perform(create('a-0'));
      const other = { ...its, name: `${its.name}-other` };
      const cache = { subscribe: () => Promise.reject(new Error('not used')) };
      const hubOfOther = new LeaseHub({ group: other, client, cache, clock: systemClock, timeout: 5_000 });
      await hubOfOther.perform(create('b-0'), { signal: alive });
      const metadata = { namespace: 'default', name: `by-hand-${names}`, labels: { [GROUP_LABEL]: its.name } };
      await client.create(Lease, { metadata, spec: {} });
      expect([...(await read()).members.keys()]).toEqual(['a-0']);
    });

    it('SH-14: refuses the plan of a group with another slot count, and reads its members as unreadable', async () => {
      await perform(create('a-0'));
      const cache = { subscribe: () => Promise.reject(new Error('not used')) };
      const wrong = new LeaseHub({ group: { ...its, slots: 8 }, client, cache, clock: systemClock, timeout: 5_000 });
      const both = `"${its.name}" with 4 slots, and this replica to "${its.name}" with 8 slots`;
      const { members } = snapshotOf(await wrong.perform({ type: 'read' }, { signal: alive }));
      expect(members.get('a-0')).toMatchObject({ type: 'unreadable', reason: `it belongs to the group ${both}` });
      await perform({ type: 'write plan', plan: planOf('a-0'), resourceVersion: undefined });
      expect(messageOf(await wrong.perform({ type: 'read' }, { signal: alive }))).toContain(both);
    });

    it('fails, instead of trying again at once, if a Lease without the label of the group is in the way', async () => {
      await client.create(Lease, { metadata: { namespace: 'default', name: `${its.name}-plan` }, spec: {} });
      const write: HubRequest = { type: 'write plan', plan: planOf('a-0'), resourceVersion: undefined };
      expect(await perform(write)).toEqual({ type: 'conflict' });
      await read();
      const expected = `sharding: lease default/${its.name}-plan exists without the label shard.mcr.dev/group=${its.name}: delete it`;
      expect(messageOf(await perform(write))).toContain(expected);
      expect(messageOf(await perform(write))).toContain(expected);
    });
  });
}

/** Returns a client whose requests all end in one way. */
function clientThat(ends: (call: CallOptions | undefined) => Promise<never>): LeaseHubOptions['client'] {
  const client = {
    list: (_kind: unknown, call?: CallOptions) => ends(call),
    create: (_kind: unknown, _object: unknown, call?: CallOptions) => ends(call),
    update: (_kind: unknown, _object: unknown, call?: CallOptions) => ends(call),
    delete: (_kind: unknown, _key: unknown, call?: CallOptions) => ends(call),
  };
  // Only Leases are requested of it.
  return client;
}

describe('requests to a hub that does not perform them', () => {
  const cache = { subscribe: () => Promise.reject(new Error('not used')) };
  const hubWith = (client: LeaseHubOptions['client']) =>
    new LeaseHub({ group, client, cache, clock: new VirtualClock(), timeout: 5_000 });
  const requests: Record<string, HubRequest> = {
    list: { type: 'read' },
    create: create('a-0'),
    update: { type: 'write plan', plan: planOf('a-0'), resourceVersion: '1' },
    delete: { type: 'forget', name: 'a-0', resourceVersion: '1' },
  };

  for (const [verb, request] of Object.entries(requests)) {
    it(`SH-15: a 403 names the verb "${verb}", the namespace and the rules to add`, async () => {
      const refusal = new ApiError({ code: 403, reason: 'Forbidden', message: 'no RBAC policy matched' });
      const hub = hubWith(clientThat(() => Promise.reject(refusal)));
      const message = messageOf(await hub.perform(request, { signal: alive }));
      expect(message).toBe(
        `sharding: this replica may not ${verb} leases in namespace default: allow "list", "watch", "create", ` +
          '"update" and "delete" on "leases" (coordination.k8s.io) there: no RBAC policy matched',
      );
    });

    it(`answers "failed" to a lost answer of ${verb}`, async () => {
      const hub = hubWith(clientThat(() => Promise.reject(new TransportError('reset', 'hub:443', 'connection reset'))));
      expect(messageOf(await hub.perform(request, { signal: alive }))).toBe(
        'the hub does not answer: hub:443: connection reset',
      );
    });

    it(`sends ${verb} once, with a deadline and the signal`, async () => {
      const calls: (CallOptions | undefined)[] = [];
      const hub = hubWith(
        clientThat((call) => {
          calls.push(call);
          return Promise.reject(new ApiError({ code: 503, message: 'overloaded' }));
        }),
      );
      expect(messageOf(await hub.perform(request, { signal: alive }))).toBe(
        `the hub failed to ${verb} leases in namespace default: overloaded`,
      );
      expect(calls).toMatchObject([{ signal: alive, timeout: 5_000, retry: 'never' }]);
    });
  }

  it('names a namespace that does not exist', async () => {
    const notFound = new ApiError({ code: 404, reason: 'NotFound', message: 'namespaces "default" not found' });
    const hub = hubWith(clientThat(() => Promise.reject(notFound)));
    expect(messageOf(await hub.perform(create('a-0'), { signal: alive }))).toBe(
      'sharding: namespace default was not found: create it, or set sharding.namespace: namespaces "default" not found',
    );
  });
});

describe('following the hub', () => {
  it('reports changes of content, and no renewals, until the signal aborts', async () => {
    const plane = await createControlPlane();
    const end = new AbortController();
    try {
      const client = createClient(plane.config);
      const cache = createCache({ client, clusterName: '' });
      const running = cache.run(end.signal);
      const hub = new LeaseHub({ group, client, cache, clock: systemClock, timeout: 5_000 });
      let hints = 0;
      hub.follow(() => (hints += 1), end.signal);
      let version = versionOf(await hub.perform(create('a-0'), { signal: alive }));
      await eventually(() => hints === 1);
      for (let sequence = 2; sequence < 5; sequence++) {
        const renewal: HubRequest = { type: 'renew', record: recordOf('a-0', { sequence }), resourceVersion: version };
        version = versionOf(await hub.perform(renewal, { signal: alive }));
      }
      const record = recordOf('a-0', { sequence: 5, held: new Set([1]) });
      version = versionOf(await hub.perform({ type: 'renew', record, resourceVersion: version }, { signal: alive }));
      // Events of one Lease come in order, so the renewals before this one caused none.
      await eventually(() => hints >= 2);
      expect(hints).toBe(2);
      await hub.perform({ type: 'write plan', plan: planOf('a-0'), resourceVersion: undefined }, { signal: alive });
      await eventually(() => hints >= 3);
      await hub.perform({ type: 'forget', name: 'a-0', resourceVersion: version }, { signal: alive });
      await eventually(() => hints >= 4);
      expect(hints).toBe(4);
      end.abort();
      await running;
    } finally {
      end.abort();
      await plane.stop();
    }
  });

  it('tries again if the watch cannot be started, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const handlers: InformerHandler<Lease>[] = [];
    let attempts = 0;
    let isRemoved = false;
    const cache = {
      subscribe: (_kind: unknown, handler: InformerHandler<Lease>) => {
        attempts += 1;
        if (attempts < 3) return Promise.reject(new Error('no connection'));
        handlers.push(handler);
        return Promise.resolve({ remove: () => (isRemoved = true) });
      },
    } as unknown as LeaseHubOptions['cache'];
    const client = clientThat(() => Promise.reject(new Error('not used')));
    const hub = new LeaseHub({ group, client, cache, clock, timeout: 5_000 });
    const end = new AbortController();
    hub.follow(() => undefined, end.signal);
    await clock.advance(19_999);
    expect(attempts).toBe(2);
    await clock.advance(1);
    expect(attempts).toBe(3);
    end.abort();
    expect({ isRemoved, timers: clock.pendingTimers }).toEqual({ isRemoved: true, timers: 0 });

    const stopped = new AbortController();
    attempts = 0;
    hub.follow(() => undefined, stopped.signal);
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(1);
    stopped.abort();
    expect(clock.pendingTimers).toBe(0);
  });
});
