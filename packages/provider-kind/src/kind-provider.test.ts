import { describe, expect, it } from '@jest/globals';
import { Namespace } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { isKindError } from './kind-error.ts';
import { createKindProvider } from './kind-provider.ts';
import type { KindProviderOptions } from './options.ts';
import { Scene } from './scene.fixture.ts';

/** A poll interval that is longer than a test. */
const NEVER = 600_000;

describe('KindProvider', () => {
  it('KD-1: discovers every Kind cluster under its name, and none if there is none', async () => {
    await using scene = await Scene.open();
    const provider = scene.run();
    await scene.kind.create('eu');
    await scene.kind.create('us');
    await eventually(() => expect(scene.names()).toEqual(['eu', 'us']));
    expect(provider.clusterNames()).toEqual(['eu', 'us']);
    const cluster = await provider.get('us');
    expect((await cluster.apiReader.get(Namespace, { name: 'default' })).metadata.name).toBe('default');
    expect(cluster.info).toMatchObject({ provider: 'kind' });

    await scene.kind.delete('eu');
    await eventually(() => expect(scene.names()).toEqual(['us']));
    await expect(provider.get('eu')).rejects.toThrow('"eu" is not engaged');
    expect(scene.engagements).toHaveLength(2);
  });

  it('KD-1: discovers only clusters whose names begin with the prefix', async () => {
    await using scene = await Scene.open();
    await scene.kind.create('a-test');
    await scene.kind.create('fleet-eu');
    scene.run({ prefix: 'fleet-', configure: (config) => ({ ...config, userAgent: 'copier' }) });
    await eventually(() => expect(scene.names()).toEqual(['fleet-eu']));
    expect(scene.engaged.get('fleet-eu')?.config.userAgent).toBe('copier');
    expect(scene.reports.every(({ name }) => name === 'fleet-eu')).toBe(true);
  });

  it('KD-1: reports that the kind program is missing', async () => {
    await using scene = await Scene.open();
    const provider = createKindProvider({ binary: 'no-such-kind' });
    const failure = await provider.run(scene.aware, new AbortController().signal).catch((error: unknown) => error);
    expect(isKindError(failure)).toBe(true);
    expect(String(failure)).toContain('program "no-such-kind" not found: install Kind');
  });

  it('KD-2: a cluster that starts, or whose engine hangs, does not delay others, and is reported once', async () => {
    await using scene = await Scene.open();
    await scene.kind.list('a-starting');
    await scene.kind.list('b-hanging');
    await scene.kind.hang('b-hanging');
    await scene.kind.create('c-running');
    scene.run();
    await eventually(() => expect(scene.names()).toEqual(['c-running']));
    await scene.kind.create('d-later');
    await eventually(() => expect(scene.names()).toEqual(['c-running', 'd-later']));
    expect(scene.reports.filter(({ name }) => name === 'a-starting')).toEqual([
      expect.objectContaining({
        phase: 'Discovered',
        reason: expect.stringContaining('it is starting or stopped'),
      }),
    ]);
    const plane = await scene.kind.create('template');
    await scene.kind.setKubeconfig('a-starting', plane.kubeconfig);
    await eventually(() => expect(scene.names()).toContain('a-starting'));
  });

  it('KD-2: a cluster that stops, or whose engine stops, stays engaged until it is deleted', async () => {
    await using scene = await Scene.open();
    const plane = await scene.kind.create('eu');
    const provider = scene.run();
    await eventually(() => expect(scene.names()).toEqual(['eu']));
    const cluster = await provider.get('eu');

    await scene.kind.setKubeconfig('eu', undefined);
    await eventually(() =>
      expect(scene.reasons('eu')).toContainEqual(expect.stringContaining('keeps its last good configuration')),
    );
    await scene.kind.setKubeconfig('eu', plane.kubeconfig);
    await eventually(() => expect(scene.reasons('eu').at(-1)).toBe('its entry can be used again'));
    const recover = await scene.kind.failEngine();
    await scene.kind.emit('die', 'other');
    await recover();
    await scene.kind.create('us');
    await eventually(() => expect(scene.names()).toEqual(['eu', 'us']));
    expect(await provider.get('eu')).toBe(cluster);
    expect(scene.engagements).toEqual(['eu', 'us']);
  });

  it('KD-2: engages a cluster again that was recreated under its name', async () => {
    await using scene = await Scene.open();
    await scene.kind.create('eu');
    const provider = scene.run();
    await eventually(() => expect(scene.names()).toEqual(['eu']));
    const before = await provider.get('eu');
    await scene.kind.delete('eu');
    const { config } = await scene.kind.create('eu');
    await eventually(async () => expect((await provider.get('eu')).config.server).toBe(config.server));
    expect(await provider.get('eu')).not.toBe(before);
    expect(scene.names()).toEqual(['eu']);
  });

  it('KD-3: events of the container engine start the next poll', async () => {
    await using scene = await Scene.open();
    await scene.kind.create('eu');
    scene.run({ pollInterval: NEVER });
    await eventually(() => expect(scene.names()).toEqual(['eu']));
    await scene.kind.create('us');
    await eventually(async () => {
      // A listener does not receive earlier events.
      await scene.kind.emit('start', 'us');
      expect(scene.names()).toEqual(['eu', 'us']);
    });
    await scene.kind.delete('eu');
    await eventually(() => expect(scene.names()).toEqual(['us']));
  });

  it('KD-3: an empty name of the container engine is ignored', async () => {
    const before = process.env['KIND_EXPERIMENTAL_PROVIDER'];
    process.env['KIND_EXPERIMENTAL_PROVIDER'] = '';
    try {
      await using scene = await Scene.open();
      await scene.kind.create('eu');
      scene.run();
      await eventually(() => expect(scene.names()).toEqual(['eu']));
    } finally {
      if (before === undefined) delete process.env['KIND_EXPERIMENTAL_PROVIDER'];
      else process.env['KIND_EXPERIMENTAL_PROVIDER'] = before;
    }
  });

  it('PV-4: an invalid kubeconfig keeps the cluster, and is reported once', async () => {
    await using scene = await Scene.open();
    const plane = await scene.kind.create('eu');
    await scene.kind.create('us');
    await scene.kind.setKubeconfig('us', 'users: [{ name: a, user: { exec: {} } }]');
    scene.run();
    await eventually(() => expect(scene.names()).toEqual(['eu']));
    await scene.kind.setKubeconfig('eu', '}{');
    await eventually(() => expect(scene.reasons('eu')).toContainEqual(expect.stringContaining('is not valid YAML')));
    await scene.kind.setKubeconfig('us', plane.kubeconfig);
    await eventually(() => expect(scene.names()).toEqual(['eu', 'us']));
    expect(scene.reasons('eu').filter((reason) => reason.includes('is not valid YAML'))).toHaveLength(1);
    expect(scene.engagements).toEqual(['eu', 'us']);
  });

  it('reports the deletion of a cluster that never had a kubeconfig', async () => {
    await using scene = await Scene.open();
    await scene.kind.list('eu');
    scene.run();
    await eventually(() => expect(scene.reports).toHaveLength(1));
    await scene.kind.delete('eu');
    await eventually(() => expect(scene.reports.at(-1)).toMatchObject({ name: 'eu', phase: 'Disengaged' }));
  });

  it('PV-2: engages all clusters again at a second run', async () => {
    await using scene = await Scene.open();
    await scene.kind.create('eu');
    const provider = scene.run();
    await eventually(() => expect(scene.names()).toEqual(['eu']));
    await scene.stop();
    expect(scene.names()).toEqual([]);
    const end = new AbortController();
    const running = provider.run(scene.aware, end.signal);
    await eventually(() => expect(scene.names()).toEqual(['eu']));
    end.abort();
    await running;
  });

  it.each<[string, object, string]>([
    ['an unknown option', { name: 'eu' }, 'KindProvider: unknown option "name"'],
    ['an unknown engine', { containerRuntime: 'lxc' }, 'option "containerRuntime": '],
    ['no time between two polls', { pollInterval: 0 }, 'option "pollInterval": '],
  ])('refuses %s', (_, options, message) => {
    expect(() => createKindProvider(options as KindProviderOptions)).toThrow(message);
  });
});
