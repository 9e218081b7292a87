import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.ts';
import { createControlPlane } from './create-control-plane.ts';
import { configMap, RawClient } from '../../apiserver/src/raw-client.fixture.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Also runs on kube-apiserver if its binaries are available. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe.each(backends)('the watch cache of a restarted process: %s', (backend) => {
  let folder: string;
  let plane: ControlPlane;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watch-cache-'));
    plane = await createControlPlane({ backend, dataDir: join(folder, 'data') });
  });
  afterEach(async () => {
    await plane.stop();
    await rm(folder, { recursive: true });
  });

  it('K-29: holds no earlier events: a watch from before its first version gets 200, then an ERROR event', async () => {
    let seen: string;
    {
      using before = new RawClient(plane.config);
      const { body } = await before.post(CONFIG_MAPS, configMap('watched'));
      seen = body.metadata.resourceVersion;
      // Changes an object of another kind.
      await before.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    }
    await plane.restart();
    using after = new RawClient(plane.config);
    const watch = await after.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${seen}`);
    expect(watch.status).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: expect.stringMatching(new RegExp(`^too old resource version: ${seen} \\(\\d+\\)$`)),
      },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('K-29: resumes from the version of a list, and reads lists of earlier versions from storage', async () => {
    let seen: string;
    {
      using before = new RawClient(plane.config);
      const { body } = await before.post(CONFIG_MAPS, configMap('watched'));
      seen = body.metadata.resourceVersion;
      await before.post(CONFIG_MAPS, configMap('later'));
    }
    await plane.restart();
    using after = new RawClient(plane.config);
    const { body: then } = await after.get(
      `${CONFIG_MAPS}?resourceVersion=${seen}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Dlater`,
    );
    expect(then.items).toEqual([]);
    const { body: list } = await after.get(CONFIG_MAPS);
    const watch = await after.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
    const { body: change } = await after.patch(`${CONFIG_MAPS}/watched`, { data: { v: '2' } });
    expect(await watch.take(1)).toEqual([`MODIFIED watched@${change.metadata.resourceVersion}`]);
    watch.close();
  });
});
