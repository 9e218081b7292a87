import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type ApiClient, ConfigMap, createClient, createManager, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import { addConfigMapController, LABEL, SEEN } from './controller.ts';

const key = { namespace: 'default', name: 'first' };

/** Deadline of each step, in milliseconds. */
const WITHIN = { deadline: 30_000 };

let plane: ControlPlane;
let client: ApiClient;
before(async () => {
  plane = await createControlPlane();
  client = createClient(plane.config);
});
after(async () => {
  await client.close();
  await plane.stop();
});

it('reconciles on a real API server', async () => {
  await client.create(ConfigMap, { metadata: { ...key, labels: { [LABEL]: 'true' } } });

  const manager = await createManager({ config: plane.config, logger: silentLogger, metrics: { bindAddress: '0' } });
  await addConfigMapController(manager);
  const end = new AbortController();
  const stopped = manager.start(end.signal);
  try {
    await eventually(async () => {
      const { metadata } = await client.get(ConfigMap, key);
      // The local cluster has an empty name.
      assert.equal(metadata.annotations?.[SEEN], '');
    }, WITHIN);
  } finally {
    end.abort();
    await stopped;
  }
});
