import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '../response/api-error.ts';
import type { CallOptions, Client } from '../client/client.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { EventsV1Event } from '../kinds/builtin.ts';
import type { Draft, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import { TransportError } from '../errors/transport-error.ts';
import { createEventBroadcaster, type EventBroadcaster } from './event-broadcaster.ts';
import type { EventDetails } from './event-recorder.ts';

const MINUTE = 60_000;

const objectOf = (name: string, namespace = 'shop'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, uid: `uid-${name}`, resourceVersion: '7', creationTimestamp: '' },
});
const cart = objectOf('cart');
const details: EventDetails = { type: 'Normal', reason: 'Synced', note: 'copied to 3 clusters', action: 'Copy' };

describe('an event recorder', () => {
  let clock: VirtualClock;
  let broadcaster: EventBroadcaster;
  /** Requests to the server, in order. */
  let created: Draft<EventsV1Event>[];
  let patched: { readonly key: ObjectKey; readonly patch: unknown }[];
  /** Thrown by each request, if set. */
  let failure: Error | undefined;
  let requests: number;
  let warnings: string[];
  /** Whether requests hang. */
  let hang: boolean;
  /** Whether the server has deleted its events. */
  let expired: boolean;

  const answer = async ({ signal }: CallOptions = {}) => {
    requests += 1;
    if (hang) await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    if (failure) throw failure;
  };
  const client = {
    create: async (_: unknown, object: Draft<EventsV1Event>, options?: CallOptions) => {
      await answer(options);
      created.push(object);
    },
    patch: async (_: unknown, key: ObjectKey, patch: unknown, _type: unknown, options?: CallOptions) => {
      await answer(options);
      if (expired) throw new ApiError({ code: 404, reason: 'NotFound' });
      patched.push({ key, patch });
    },
  } as unknown as Client;

  beforeEach(() => {
    clock = new VirtualClock();
    created = [];
    patched = [];
    failure = undefined;
    requests = 0;
    warnings = [];
    hang = false;
    expired = false;
    const logger: Logger = {
      ...silentLogger,
      warn: (line) => void warnings.push(line),
      error: (line) => void warnings.push(line),
    };
    broadcaster = createEventBroadcaster({ client, clock, logger });
  });
  afterEach(async () => {
    const closed = broadcaster.close();
    await clock.advance(2_000);
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('writes an event of events.k8s.io/v1 in the namespace of its object', async () => {
    broadcaster.recorder('cart-controller').event(cart, { ...details, related: objectOf('other') });
    await clock.advance(0);
    expect(created).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'shop', name: expect.stringMatching(/^cart\.[0-9a-f]{16}$/) },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'cart-controller',
        reportingInstance: `cart-controller-${hostname()}`,
        type: 'Normal',
        reason: 'Synced',
        action: 'Copy',
        note: 'copied to 3 clusters',
        regarding: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'shop',
          name: 'cart',
          uid: 'uid-cart',
          resourceVersion: '7',
        },
        related: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'shop',
          name: 'other',
          uid: 'uid-other',
          resourceVersion: '7',
        },
      },
    ]);
  });

  it('sends a namespace, action, name and note that the API accepts', async () => {
    const recorder = broadcaster.recorder('c');
    recorder.event(objectOf('n'.repeat(253), ''), { type: 'Warning', reason: 'Failed', note: 'é'.repeat(600) });
    await clock.advance(0);
    const [event] = created;
    expect(event?.metadata.namespace).toBe('default');
    expect(event?.metadata.name).toHaveLength(253);
    expect(event?.action).toBe('Failed');
    expect(event?.note).toBe(`${'é'.repeat(510)}…`);
  });

  it('counts repetitions within six minutes in a series, written at once and then every six minutes', async () => {
    const recorder = broadcaster.recorder('c');
    recorder.event(cart, details);
    await clock.advance(MINUTE);
    recorder.event(cart, { ...details, note: 'copied to 4 clusters' });
    await clock.advance(MINUTE);
    recorder.event(cart, details);
    recorder.event(cart, details);
    await clock.advance(MINUTE);
    const key = { namespace: 'shop', name: created[0]?.metadata.name };
    expect(created).toHaveLength(1);
    expect(patched).toEqual([
      { key, patch: { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } } },
    ]);
    await clock.advance(3 * MINUTE);
    expect(patched.slice(1)).toEqual([
      { key, patch: { series: { count: 4, lastObservedTime: '2026-01-01T00:02:00.000000Z' } } },
    ]);
  });

  it('starts a new event if the repetition comes after more than six minutes', async () => {
    const recorder = broadcaster.recorder('c');
    recorder.event(cart, details);
    await clock.advance(5 * MINUTE);
    recorder.event(cart, details);
    await clock.advance(6 * MINUTE + 1);
    recorder.event(cart, details);
    await clock.advance(0);
    expect(created).toHaveLength(2);
    expect(created[0]?.metadata.name).not.toBe(created[1]?.metadata.name);
    expect(patched).toHaveLength(1);
  });

  it('repetitions before the first write become one event with a count', async () => {
    const recorder = broadcaster.recorder('c');
    for (let time = 0; time < 500; time++) recorder.event(cart, details);
    await clock.advance(0);
    expect(created.map(({ series }) => series?.count)).toEqual([500]);
    expect(patched).toEqual([]);
  });

  it.each<[string, KubernetesObject, EventDetails, string?]>([
    ['another object', objectOf('basket'), details],
    ['another reason', cart, { ...details, reason: 'Other' }],
    ['another type', cart, { ...details, type: 'Warning' }],
    ['another action', cart, { ...details, action: 'Other' }],
    ['another related object', cart, { ...details, related: cart }],
    ['another component', cart, details, 'd'],
  ])('%s makes a separate event', async (_, regarding, other, component = 'c') => {
    broadcaster.recorder('c').event(cart, details);
    broadcaster.recorder(component).event(regarding, other);
    await clock.advance(0);
    expect(created).toHaveLength(2);
  });

  it('writes 25 events at once, then 10 per second', async () => {
    const recorder = broadcaster.recorder('c');
    for (let number = 0; number < 40; number++) recorder.event(objectOf(`cart-${number}`), details);
    await clock.advance(0);
    expect(created).toHaveLength(25);
    await clock.advance(1_000);
    expect(created).toHaveLength(35);
    await clock.advance(1_000);
    expect(created).toHaveLength(40);
  });

  it('queues at most a thousand events, and logs once that it drops others', async () => {
    hang = true;
    const recorder = broadcaster.recorder('c');
    for (let number = 0; number < 1_500; number++) recorder.event(objectOf(`cart-${number}`), details);
    expect(warnings).toEqual(['too many events are waiting, dropping new ones']);
  });

  it('retries if the server is unreachable, and logs the failure once', async () => {
    failure = new TransportError('refused', 'h:1', 'connection refused');
    broadcaster.recorder('c').event(cart, details);
    await clock.advance(4_000);
    expect(requests).toBe(3);
    expect(warnings).toEqual(['failed to record events']);
    failure = undefined;
    await clock.advance(4_000);
    expect(created).toHaveLength(1);
  });

  it('does not retry a refused event, and never throws', async () => {
    failure = new ApiError({ code: 403, reason: 'Forbidden' });
    const recorder = broadcaster.recorder('c');
    recorder.event(cart, details);
    await clock.advance(MINUTE);
    expect(requests).toBe(1);
    expect(() => recorder.event({} as KubernetesObject, details)).not.toThrow();
    expect(warnings).toEqual(['failed to record events', 'invalid event dropped']);
  });

  it("drops an event with arguments in client-go's order, and logs what is expected", () => {
    const recorder: { event(...args: readonly unknown[]): void } = broadcaster.recorder('c');
    recorder.event(cart, 'Normal', 'Scaled', 'to three');
    recorder.event(cart, { type: 'Info', reason: 'Scaled', note: 'to three' });
    expect(warnings).toEqual(['invalid event dropped', 'invalid event dropped']);
  });

  it('creates an event again if the server has deleted it', async () => {
    const recorder = broadcaster.recorder('c');
    recorder.event(cart, details);
    await clock.advance(0);
    expired = true;
    recorder.event(cart, details);
    await clock.advance(0);
    expect(created.map(({ series }) => series?.count)).toEqual([undefined, 2]);
  });

  it('close writes pending events regardless of the rate, and drops later ones', async () => {
    const recorder = broadcaster.recorder('c');
    for (let number = 0; number < 40; number++) recorder.event(objectOf(`cart-${number}`), details);
    for (let time = 0; time < 3; time++) recorder.event(objectOf('cart-0'), details);
    await broadcaster.close();
    expect(created).toHaveLength(40);
    recorder.event(cart, details);
    await clock.advance(0);
    expect(created).toHaveLength(40);
  });

  it('close does not write an event again that is being written', async () => {
    broadcaster.recorder('c').event(cart, details);
    while (requests === 0) await Promise.resolve();
    expect(created).toHaveLength(0);
    await broadcaster.close();
    expect(created).toHaveLength(1);
    expect(patched).toEqual([]);
  });

  it('close gives up after two seconds, and at once if the server is unreachable', async () => {
    const recorder = broadcaster.recorder('c');
    recorder.event(cart, details);
    await clock.advance(0);
    hang = true;
    recorder.event(objectOf('basket'), details);
    await clock.advance(0);
    let closed = false;
    const closing = broadcaster.close().then(() => (closed = true));
    await clock.advance(1_999);
    expect(closed).toBe(false);
    await clock.advance(1);
    await closing;

    hang = false;
    failure = new TransportError('refused', 'h:1', 'connection refused');
    requests = 0;
    const other = createEventBroadcaster({ client, clock });
    for (const name of ['a', 'b', 'c']) other.recorder('c').event(objectOf(name), details);
    await other.close();
    expect(requests).toBe(1);
  });
});
