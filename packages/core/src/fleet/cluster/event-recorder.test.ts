import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/client';
import { ConfigMap, createClient, EventsV1Event } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { createCluster } from './create-cluster.ts';

describe('the event recorder of a cluster', () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;

  beforeEach(async () => {
    controlPlane = await createControlPlane();
    client = createClient(controlPlane.config);
  });
  afterEach(async () => {
    await client.close();
    await controlPlane.stop();
  });

  it('writes what an API server takes, counts repetitions, and writes what waits when the cluster stops', async () => {
    const end = new AbortController();
    // A stopping cluster waits 2 s for its events to be written, on a clock that stands still here.
    const cluster = createCluster(controlPlane.config, { name: 'eu-1', clock: new VirtualClock() });
    const running = cluster.run(end.signal);
    const configMap = await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'cart' } });
    const details = { type: 'Warning', reason: 'Failed', note: 'no room' } as const;

    const recorder = cluster.eventRecorder('cart-controller');
    const changes = client.watch(EventsV1Event, { signal: end.signal, resourceVersion: '0' });
    recorder.event(configMap, details);
    for await (const { type } of changes) if (type === 'ADDED') break;
    recorder.event(configMap, details);
    recorder.event(configMap, { ...details, reason: 'StillFailing' });
    end.abort();
    await running;

    const { items } = await client.list(EventsV1Event, { namespace: 'default' });
    expect(items.map(({ reason, series, regarding }) => [reason, series?.count, regarding?.name])).toEqual([
      ['Failed', 2, 'cart'],
      ['StillFailing', undefined, 'cart'],
    ]);
  });
});
