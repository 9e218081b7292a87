import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isWatchDecodeError } from '@mcr/client';
import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, isApiError, isTransportError } from '@mcr/core';
import type { ControlPlane, FaultRule } from '@mcr/envtest';
import { createFaultProxy, Random, createControlPlane } from '@mcr/envtest';
import { until } from '../until.ts';
import type { Segment, StreamEvent } from './watch-oracles.ts';
import { endOf, watchProblems } from './watch-oracles.ts';

const NAMESPACE = 'default';
const NAMES = 6;
const WRITES = 120;
/** Number of writes before the current fault is replaced by another one. */
const WRITES_PER_FAULT = 6;

const { MCR_SEED } = process.env;
const seeds = MCR_SEED === undefined ? [1, 2, 3, 4] : MCR_SEED.split(',').map(Number);

/** Returns a random fault that a watch can detect. A half-open connection is not among them. */
function randomFault(random: Random): FaultRule {
  const after = random.below(3_000);
  const size = 1 + random.below(50);
  const faults: readonly FaultRule[] = [
    { on: 'connections', fault: { type: 'reset', after } },
    { on: 'connections', fault: { type: 'truncate', after } },
    { on: 'connections', fault: { type: 'corrupt', after } },
    { on: 'connections', fault: { type: 'split', size } },
    { on: 'connections', fault: { type: 'stall' }, when: { for: 20 } },
    { on: 'requests', fault: { type: 'reset', part: 'response', after } },
    { on: 'requests', fault: { type: 'truncate', after } },
    { on: 'requests', fault: { type: 'corrupt', after } },
    { on: 'requests', fault: { type: 'split', size } },
    { on: 'requests', fault: { type: 'throttle', bytesPerSecond: 20_000 } },
    { on: 'requests', fault: { type: 'answer', status: 503 } },
    { on: 'requests', fault: { type: 'error-event', status: 500 } },
    { on: 'requests', fault: { type: 'swallow', events: 'bookmarks' } },
  ];
  const chosen = random.pick(faults);
  if (!chosen) throw new Error('no faults to choose from');
  return chosen;
}

describe('the guarantees of a watch', () => {
  let plane: ControlPlane;
  let direct: ApiClient;
  beforeAll(async () => {
    plane = await createControlPlane({ bookmarkInterval: 10 });
    direct = createClient(plane.config);
  });
  afterAll(async () => {
    await direct.close();
    await plane.stop();
  });

  it.each(seeds)(
    'K-6, F-2, F-11: ordered, unique, reliable, atomic, resumable and bookmarkable through faults (replay with MCR_SEED=%i)',
    async (seed) => {
      const random = new Random(seed);
      await using proxy = await createFaultProxy({ target: plane.config, seed });
      await using client = createClient(proxy.config);
      const from = await version(direct);
      const end = new AbortController();
      const segments: Segment[] = [];
      const following = follow(client, { from, segments, signal: end.signal });
      const faults: string[] = [];
      for (let count = 0; count < WRITES; count++) {
        if (count % WRITES_PER_FAULT === 0) {
          proxy.heal();
          const rule = randomFault(random);
          faults.push(`${rule.on} ${JSON.stringify(rule.fault)}`);
          proxy.inject(rule);
        }
        await write(direct, random, count);
      }
      proxy.heal();
      await direct.create(ConfigMap, { metadata: { namespace: NAMESPACE, name: `last-${seed}` } });
      const history = await historyOf(direct, from, `last-${seed}`);
      const isThere = ({ events }: Segment) =>
        events.some(({ type, object }) => type === 'ADDED' && object.metadata.name === `last-${seed}`);
      await until(() => segments.some(isThere));
      end.abort();
      await following;

      expect({ problems: watchProblems(history, segments), faults }).toEqual({ problems: [], faults });
      const events = segments.flatMap((segment) => segment.events).filter(({ type }) => type !== 'BOOKMARK');
      expect(events).toHaveLength(history.length);
      expect(segments.length).toBeGreaterThan(2);
    },
  );

  it('are reported separately if violated', () => {
    const change = (name: string, resourceVersion: string, type: 'ADDED' | 'MODIFIED' = 'ADDED'): StreamEvent => ({
      type,
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: NAMESPACE, uid: name, resourceVersion, creationTimestamp: '' },
      },
    });
    const bookmark = (resourceVersion: string): StreamEvent => ({
      type: 'BOOKMARK',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion } },
    });
    const [a, b, c] = [change('a', '9'), change('b', '10'), change('c', '12')];
    const problems = (...segments: Segment[]) =>
      watchProblems([a, b, c], segments).map((text) => text.split(':', 1).join(''));
    expect(problems({ from: '8', events: [a, b, bookmark('11')] }, { from: '11', events: [c] })).toEqual([]);
    expect(problems({ from: '8', events: [b, a] })).toContain('not ordered');
    expect(problems({ from: '8', events: [a, bookmark('8')] })).toEqual(['not ordered']);
    expect(problems({ from: '8', events: [a] }, { from: '8', events: [a] })).toEqual(['not unique', 'not resumable']);
    expect(problems({ from: '8', events: [a, c] })).toEqual(['not reliable']);
    expect(problems({ from: '8', events: [a, change('other', '10')] })).toEqual(['not atomic']);
    expect(problems({ from: '8', events: [a] }, { from: '10', events: [c] })).toEqual(['not resumable']);
    expect(problems({ from: '8', events: [a, bookmark('11')] })).toEqual(['not bookmarkable']);
  });
});

async function version(client: ApiClient): Promise<string> {
  return (await client.list(ConfigMap, { namespace: NAMESPACE })).metadata.resourceVersion;
}

async function write(client: ApiClient, random: Random, count: number): Promise<void> {
  const key = { namespace: NAMESPACE, name: `object-${random.below(NAMES)}` };
  const data = { count: String(count), text: 'ä'.repeat(random.below(200)) };
  const isThere = await client.find(ConfigMap, key);
  if (!isThere) await client.create(ConfigMap, { metadata: key, data });
  else if (random.next() < 0.3) await client.delete(ConfigMap, key);
  else await client.patch(ConfigMap, key, { data }, 'merge');
}

async function historyOf(client: ApiClient, from: string, last: string): Promise<StreamEvent[]> {
  const history: StreamEvent[] = [];
  const signal = AbortSignal.timeout(120_000);
  for await (const event of client.watch(ConfigMap, { namespace: NAMESPACE, resourceVersion: from, signal })) {
    if (event.type === 'ERROR') throw new Error(event.object.message);
    if (event.type !== 'BOOKMARK') history.push(event);
    if (event.type !== 'BOOKMARK' && event.object.metadata.name === last) return history;
  }
  throw new Error('the watch of the whole history ended');
}

/** Watches, and resumes from the last version. */
async function follow(
  client: ApiClient,
  { from, segments, signal }: { readonly from: string; readonly segments: Segment[]; readonly signal: AbortSignal },
): Promise<void> {
  let position = from;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const events: StreamEvent[] = [];
    const segment: Segment = { from: position, events };
    try {
      const stream = client.watch(ConfigMap, { namespace: NAMESPACE, resourceVersion: position, signal });
      segments.push(segment);
      for await (const event of stream) if (event.type !== 'ERROR') events.push(event);
    } catch (error) {
      const isExpected = isTransportError(error) || isApiError(error) || isWatchDecodeError(error);
      if (!isExpected && !isOver()) throw error;
    }
    position = endOf(segment);
  }
}
