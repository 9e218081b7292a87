import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, createClient, dropFields, type ApiClient, draftOf } from '@mcr/client';
import { createControlPlane, type ControlPlane } from '@mcr/envtest';
import { createCluster } from '../../fleet/cluster/create-cluster.ts';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { createOrPatch } from './create-or-patch.ts';
import { createOrUpdate } from './create-or-update.ts';

describe('an object that a cache has transformed', () => {
  let controlPlane: ControlPlane;
  let server: ApiClient;
  let cluster: Cluster;
  const stop = new AbortController();
  let run: Promise<void>;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    server = createClient(controlPlane.config);
    cluster = createCluster(controlPlane.config, {
      cache: { byKind: [{ kind: ConfigMap, transform: dropFields('data.large') }] },
    });
    run = cluster.run(stop.signal);
  });
  afterAll(async () => {
    stop.abort();
    await run;
    await server.close();
    await controlPlane.stop();
  });

  const annotate = async (name: string, write: (key: { namespace: string; name: string }) => Promise<unknown>) => {
    const key = { namespace: 'default', name };
    const created = await server.create(ConfigMap, { metadata: key, data: { small: '1', large: '2' } });
    await cluster.client.get(ConfigMap, key, { resourceVersion: created.metadata.resourceVersion });
    await write(key);
    const { data, metadata } = await server.get(ConfigMap, key);
    expect(metadata.annotations).toEqual({ written: 'true' });
    // The cache drops it too, and the server keeps it.
    expect(metadata.managedFields).not.toHaveLength(0);
    return data;
  };
  const annotations = { written: 'true' };

  it('loses the fields that the transform removed when it is written as a whole', async () => {
    const { client } = cluster;
    const updated = await annotate('update', async (key) => {
      const draft = draftOf(await client.get(ConfigMap, key));
      draft.metadata.annotations = annotations;
      await client.update(ConfigMap, draft);
    });
    expect(updated).toEqual({ small: '1' });
    const createdOrUpdated = await annotate('create-or-update', (key) =>
      createOrUpdate(client, ConfigMap, key, ({ metadata }) => void (metadata.annotations = annotations)),
    );
    expect(createdOrUpdated).toEqual({ small: '1' });
  });

  it('keeps these fields when it is patched or applied, or read with apiReader', async () => {
    const { client, apiReader } = cluster;
    const whole = { small: '1', large: '2' };
    expect(
      await annotate('patch', (key) => client.patch(ConfigMap, key, { metadata: { annotations } }, 'merge')),
    ).toEqual(whole);
    const configuration = (metadata: { namespace: string; name: string }) => ({
      metadata: { ...metadata, annotations },
    });
    expect(
      await annotate('apply', (key) => client.apply(ConfigMap, configuration(key), { fieldManager: 'me' })),
    ).toEqual(whole);
    const createdOrPatched = await annotate('create-or-patch', (key) =>
      createOrPatch(client, ConfigMap, key, ({ metadata }) => void (metadata.annotations = annotations)),
    );
    expect(createdOrPatched).toEqual(whole);
    const read = await annotate('api-reader', async (key) => {
      const draft = draftOf(await apiReader.get(ConfigMap, key));
      draft.metadata.annotations = annotations;
      await client.update(ConfigMap, draft);
    });
    expect(read).toEqual(whole);
  });
});
