import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, Namespace } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { ClusterContent, contentText } from './backend/cluster-content.ts';
import { namespacesRemoved } from './backend/namespace-removal.ts';
import { NAME_PREFIX, RUN_LABEL } from './backend/run.ts';
import { RunnerProcess } from './cli/runner-process.ts';

/** Time that a run waits for a namespace controller, in milliseconds. */
const DEADLINE = 300_000;

describe('existing clusters without a namespace controller', () => {
  let fleet: ControlPlaneFleet;
  let directory: string;
  let hub: ApiClient;
  const files: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-bare-'));
    fleet = await createControlPlaneFleet({ backend: 'binaries', members: 1 });
    hub = createClient(fleet.hub.config);
    for (const { name, kubeconfig } of [fleet.hub, ...fleet.members]) {
      const file = join(directory, name);
      await writeFile(file, kubeconfig, { mode: 0o600 });
      files.push(file);
    }
  }, DEADLINE);
  afterAll(async () => {
    await hub.close();
    await fleet.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const contentOf = async ({ config }: ControlPlane): Promise<string[]> => {
    await using content = await ClusterContent.open(config);
    return (await content.list()).map(contentText).sort();
  };
  const contents = () => Promise.all([fleet.hub, ...fleet.members].map(contentOf));
  const find = (name: string) => hub.find(Namespace, { name });

  it(
    'a run leaves all other objects of the clusters unchanged',
    async () => {
      // Deleted by another user. Terminates for as long as no namespace controller runs.
      await hub.create(Namespace, { metadata: { name: 'terminating' } });
      await hub.create(ConfigMap, { metadata: { namespace: 'terminating', name: 'kept' } });
      await hub.delete(Namespace, { name: 'terminating' });
      const before = await contents();

      await using runner = new RunnerProcess([
        '--existing',
        ...files,
        'leader-failover',
        'provider-namespace',
        'examples-rbac',
      ]);
      const { code, printed } = await runner.ended;
      expect(printed).toContain('5 passed, 0 failed, 0 skipped on backend existing');
      expect(code).toBe(0);
      expect(await contents()).toEqual(before);
    },
    DEADLINE,
  );

  it(
    'clean deletes the content of a namespace of a crashed run, then the namespace, and keeps other namespaces with its label',
    async () => {
      const labels = { [RUN_LABEL]: 'zzzzzz-abcdef' };
      const name = `${NAME_PREFIX}zzzzzz-abcdef-rotation`;
      for (const each of [name, 'of-a-user']) {
        await hub.create(Namespace, { metadata: { name: each, labels } });
        await hub.create(ConfigMap, { metadata: { namespace: each, name: 'settings' } });
      }
      await using cleaned = new RunnerProcess(['clean', '--existing', ...files]);
      const { code, printed } = await cleaned.ended;
      expect(printed).toContain(`deleted Namespace ${name}`);
      expect(code).toBe(0);
      expect(await find(name)).toBeUndefined();
      expect(await hub.find(ConfigMap, { namespace: name, name: 'settings' })).toBeUndefined();
      expect((await find('of-a-user'))?.metadata.deletionTimestamp).toBeUndefined();
      expect(await hub.find(ConfigMap, { namespace: 'of-a-user', name: 'settings' })).toBeDefined();
    },
    DEADLINE,
  );

  it('does not finalize a namespace whose objects have finalizers, and names them', async () => {
    const name = `${NAME_PREFIX}zzzzzz-fedcba-held`;
    const held = { namespace: name, name: 'held' };
    await hub.create(Namespace, { metadata: { name } });
    await hub.create(ConfigMap, { metadata: { ...held, finalizers: ['example.com/held'] } });
    await hub.delete(Namespace, { name });
    const removal = namespacesRemoved({ client: hub, config: fleet.hub.config }, [name], { grace: 0, within: 1_000 });
    await expect(removal).rejects.toThrow(`${name} (1 objects: ConfigMap ${name}/held)`);
    expect((await find(name))?.spec?.finalizers).toEqual(['kubernetes']);

    await hub.patch(ConfigMap, held, { metadata: { finalizers: null } }, 'merge');
    await namespacesRemoved({ client: hub, config: fleet.hub.config }, [name], { grace: 0 });
    expect(await find(name)).toBeUndefined();
  });

  it('leaves a namespace to a controller that has begun with it', async () => {
    const name = `${NAME_PREFIX}zzzzzz-fedcba-attended`;
    await hub.create(Namespace, { metadata: { name } });
    await hub.delete(Namespace, { name });
    const { metadata, status } = await hub.get(Namespace, { name });
    const condition = {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: pods. has 1 resource instances',
      lastTransitionTime: new Date().toISOString(),
    };
    await hub.status.update(Namespace, { metadata: { ...metadata }, status: { ...status, conditions: [condition] } });
    const removal = namespacesRemoved({ client: hub, config: fleet.hub.config }, [name], { grace: 0, within: 1_000 });
    await expect(removal).rejects.toThrow(condition.message);
    expect((await find(name))?.spec?.finalizers).toEqual(['kubernetes']);
  });
});
