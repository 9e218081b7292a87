import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  type ApiClient,
  ConfigMap,
  createClient,
  createManager,
  CustomResourceDefinition,
  silentLogger,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import { crdOf, newObject } from '@mcr/kinds';
import { addGreetingController } from './controller.ts';
import { Greeting } from './kind.ts';

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

it('greets on a real API server', async () => {
  await client.create(CustomResourceDefinition, crdOf(Greeting));
  const greeting = newObject(Greeting, { metadata: key, spec: { recipient: 'world' } });
  await eventually(() => client.create(Greeting, greeting), WITHIN);

  const manager = await createManager({ config: plane.config, logger: silentLogger, metrics: { bindAddress: '0' } });
  await addGreetingController(manager);
  const end = new AbortController();
  const stopped = manager.start(end.signal);
  try {
    const { data } = await eventually(() => client.get(ConfigMap, key), WITHIN);
    assert.deepEqual(data, { text: 'Hello, world' });
  } finally {
    end.abort();
    await stopped;
  }
});
