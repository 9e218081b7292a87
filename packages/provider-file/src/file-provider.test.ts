import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger, createManager, Namespace } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createFileProvider } from './file-provider.ts';
import { kubeconfigOf } from './kubeconfig.fixture.ts';
import type { FileProviderOptions } from './options.ts';
import { Scene } from './scene.fixture.ts';

describe('FileProvider', () => {
  let fleet: ControlPlaneFleet;
  let one: ControlPlane;
  let two: ControlPlane;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2 });
    const [first, second] = fleet.members;
    if (!first || !second) throw new Error('expected two members');
    [one, two] = [first, second];
  });
  afterAll(async () => fleet.stop());

  it('FI-2: discovers a cluster for every context of every file, named after both', async () => {
    await using scene = await Scene.open();
    const file = await scene.write('elsewhere/config', kubeconfigOf({ eu: { config: one.config } }));
    await scene.write(
      'clusters/a.kubeconfig',
      kubeconfigOf({ eu: { config: one.config }, us: { config: two.config } }),
    );
    await scene.write('clusters/kubeconfig.yaml', one.kubeconfig);
    await scene.write('clusters/notes.txt', one.kubeconfig);
    const provider = scene.run({ kubeconfigFiles: [file], kubeconfigDirs: [scene.path('clusters')], separator: '@' });
    const names = ['clusters/a.kubeconfig@eu', 'clusters/a.kubeconfig@us', 'clusters/kubeconfig.yaml@member-1'];
    await eventually(() => expect(scene.names()).toEqual([...names, 'elsewhere/config@eu']));
    expect(provider.clusterNames()).toEqual([...scene.engaged.keys()].sort());
    const cluster = await provider.get(`${scene.path('clusters/a.kubeconfig')}@us`);
    expect((await cluster.apiReader.get(Namespace, { name: 'default' })).metadata.name).toBe('default');
    expect(cluster.info).toMatchObject({
      provider: 'file',
      properties: { path: scene.path('clusters/a.kubeconfig'), context: 'us' },
    });
  });

  it('FI-2: reads only the files that match custom patterns', async () => {
    await using scene = await Scene.open();
    await scene.write('eu.conf', one.kubeconfig);
    await scene.write('kubeconfig.yaml', one.kubeconfig);
    scene.run({ kubeconfigGlobs: ['*.conf'] });
    await eventually(() => expect(scene.names()).toEqual(['eu.conf+member-1']));
  });

  it('FI-2: reads a file once that is named twice, and reports it', async () => {
    await using scene = await Scene.open();
    const path = await scene.write('eu.kubeconfig', one.kubeconfig);
    scene.run({ kubeconfigFiles: [path] });
    await eventually(() => expect(scene.names()).toEqual(['eu.kubeconfig+member-1']));
    expect(scene.reasons(path)).toEqual([`${path} is a duplicate of ${path}`]);
    expect(scene.engagements).toHaveLength(1);
  });

  it('FI-2: uses the first of two contexts with the same cluster name, and reports the second', async () => {
    await using scene = await Scene.open();
    const parts = { config: one.config };
    const first = await scene.write('a', kubeconfigOf({ 'b+c': parts }));
    const second = await scene.write('a+b', kubeconfigOf({ c: { config: two.config } }));
    const provider = scene.run({ kubeconfigFiles: [first, second], kubeconfigDirs: [] });
    await eventually(() => expect(scene.names()).toEqual(['a+b+c']));
    expect((await provider.get(`${first}+b+c`)).config.server).toBe(one.config.server);
    expect(scene.reasons(second)).toEqual([`${second} has a duplicate: the name "${first}+b+c" is taken`]);
  });

  it('FI-3: reads files and directories that are created later, also after they were deleted', async () => {
    await using scene = await Scene.open();
    const [file, directory] = [scene.path('not/yet/config'), scene.path('neither/this')];
    scene.run({ kubeconfigFiles: [file], kubeconfigDirs: [directory] });
    for (let time = 1; time <= 2; time++) {
      await scene.write('not/yet/config', one.kubeconfig);
      await scene.write('neither/this/eu.kubeconfig', two.kubeconfig);
      await eventually(() =>
        expect(scene.names()).toEqual(['neither/this/eu.kubeconfig+member-2', 'not/yet/config+member-1']),
      );
      await rm(scene.path('not'), { recursive: true });
      await rm(scene.path('neither'), { recursive: true });
      await eventually(() => expect(scene.names()).toEqual([]));
    }
  });

  it('FI-3: reads a file each time it is replaced', async () => {
    await using scene = await Scene.open();
    const path = await scene.write('config', kubeconfigOf({ first: { config: one.config } }));
    scene.run({ kubeconfigFiles: [path], kubeconfigDirs: [] });
    await eventually(() => expect(scene.names()).toEqual(['config+first']));
    for (const context of ['second', 'third']) {
      await scene.replace('config', kubeconfigOf({ [context]: { config: one.config } }));
      await eventually(() => expect(scene.names()).toEqual([`config+${context}`]));
    }
  });

  it.each(['a file', 'a directory'])(
    'FI-3: sees the links of a mounted Secret change that is named as %s',
    async (as) => {
      await using scene = await Scene.open();
      /** Writes files as the kubelet does: each version in its own directory, behind the link `..data`. */
      const mount = async (version: string) => {
        await scene.write(`..${version}/kubeconfig.yaml`, kubeconfigOf({ [version]: { config: one.config } }));
        await symlink(`..${version}`, scene.path('..data_tmp'));
        await rename(scene.path('..data_tmp'), scene.path('..data'));
      };
      await mount('v1');
      await symlink(join('..data', 'kubeconfig.yaml'), scene.path('kubeconfig.yaml'));
      scene.run(as === 'a file' ? { kubeconfigFiles: [scene.path('kubeconfig.yaml')], kubeconfigDirs: [] } : {});
      await eventually(() => expect(scene.names()).toEqual(['kubeconfig.yaml+v1']));
      for (const version of ['v2', 'v3']) {
        await mount(version);
        await eventually(() => expect(scene.names()).toEqual([`kubeconfig.yaml+${version}`]));
      }
    },
  );

  it('FI-3: reads a changed file behind a link', async () => {
    await using scene = await Scene.open();
    const target = await scene.write('dotfiles/kube', kubeconfigOf({ before: { config: one.config } }));
    await symlink(target, scene.path('kubeconfig.yaml'));
    scene.run();
    await eventually(() => expect(scene.names()).toEqual(['kubeconfig.yaml+before']));
    await scene.replace('dotfiles/kube', kubeconfigOf({ after: { config: one.config } }));
    await eventually(() => expect(scene.names()).toEqual(['kubeconfig.yaml+after']));
  });

  it('FI-4: disengages the clusters of deleted files and contexts', async () => {
    await using scene = await Scene.open();
    await scene.write('a.kubeconfig', kubeconfigOf({ eu: { config: one.config }, us: { config: two.config } }));
    await scene.write('b.kubeconfig', one.kubeconfig);
    scene.run();
    await eventually(() => expect(scene.names()).toHaveLength(3));
    await scene.replace('a.kubeconfig', kubeconfigOf({ us: { config: two.config }, asia: { config: one.config } }));
    await eventually(() =>
      expect(scene.names()).toEqual(['a.kubeconfig+asia', 'a.kubeconfig+us', 'b.kubeconfig+member-1']),
    );
    await rm(scene.path('a.kubeconfig'));
    await eventually(() => expect(scene.names()).toEqual(['b.kubeconfig+member-1']));
    expect(scene.reasons(`${scene.path('a.kubeconfig')}+us`)).toEqual([expect.stringContaining('API server')]);
    expect(scene.engagements).toHaveLength(4);
  });

  it('FI-4: rotates credentials in place, and replaces a cluster whose server changes', async () => {
    await using scene = await Scene.open();
    const path = await scene.write('c.kubeconfig', kubeconfigOf({ eu: { config: one.config } }));
    const provider = scene.run();
    await eventually(() => expect(scene.names()).toHaveLength(1));
    const cluster = await provider.get(`${path}+eu`);
    await scene.replace('c.kubeconfig', kubeconfigOf({ eu: await one.issueToken() }));
    await eventually(() => expect(scene.reasons(`${path}+eu`)).toContain('its credentials were rotated in place'));
    expect(await provider.get(`${path}+eu`)).toBe(cluster);
    await scene.replace('c.kubeconfig', kubeconfigOf({ eu: { config: two.config } }));
    await eventually(async () => expect((await provider.get(`${path}+eu`)).config.server).toBe(two.config.server));
  });

  it('F-14: keeps the last good clusters of a half-written kubeconfig, however far it got, until it is complete', async () => {
    await using scene = await Scene.open();
    const path = await scene.write('eu.kubeconfig', one.kubeconfig);
    const name = `${path}+member-1`;
    scene.run();
    await eventually(() => expect(scene.names()).toHaveLength(1));
    for (const length of [0, 15, one.kubeconfig.indexOf('clusters:') + 9, one.kubeconfig.length >> 1]) {
      const reported = scene.reasons(name).length;
      await writeFile(path, one.kubeconfig.slice(0, length));
      await eventually(() =>
        expect(scene.reasons(name).slice(reported)).toContainEqual(
          expect.stringContaining('keeps its last good configuration'),
        ),
      );
      expect(scene.names()).toEqual(['eu.kubeconfig+member-1']);
      await writeFile(path, one.kubeconfig);
      await eventually(() => expect(scene.reasons(name).at(-1)).toBe('its entry can be used again'));
    }
    expect(scene.engagements).toHaveLength(1);
  });

  it('PV-4: an invalid context or file affects no other, and is reported once', async () => {
    await using scene = await Scene.open();
    const good = { config: one.config };
    await scene.write('a.kubeconfig', '}{');
    await scene.write('b.kubeconfig', kubeconfigOf({ good, bad: { config: { server: 'ftp://eu' } } }));
    await mkdir(scene.path('c.kubeconfig'));
    scene.run({ kubeconfigFiles: [scene.path('c.kubeconfig')] });
    await eventually(() => expect(scene.names()).toEqual(['b.kubeconfig+good']));
    await scene.replace('z.kubeconfig', kubeconfigOf({ another: good }));
    await eventually(() => expect(scene.names()).toEqual(['b.kubeconfig+good', 'z.kubeconfig+another']));
    expect(scene.reasons(scene.path('a.kubeconfig'))).toEqual([expect.stringContaining('is not valid YAML')]);
    expect(scene.reasons(scene.path('c.kubeconfig'))).toEqual(['the file cannot be read: it is not a regular file']);
    expect(scene.reasons(`${scene.path('b.kubeconfig')}+bad`)).toEqual([expect.stringContaining('is not a URL')]);

    await scene.replace('a.kubeconfig', one.kubeconfig);
    await eventually(() => expect(scene.names()).toContain('a.kubeconfig+member-1'));
    expect(scene.reports).toContainEqual(
      expect.objectContaining({ name: scene.path('a.kubeconfig'), phase: 'Disengaged' }),
    );
  });

  it('PV-4: a context that becomes invalid keeps its cluster and does not delay others', async () => {
    await using scene = await Scene.open();
    const path = await scene.write(
      'a.kubeconfig',
      kubeconfigOf({ eu: { config: one.config }, us: { config: two.config } }),
    );
    scene.run();
    await eventually(() => expect(scene.names()).toHaveLength(2));
    await scene.replace(
      'a.kubeconfig',
      kubeconfigOf({ eu: { config: one.config, user: null }, us: await two.issueToken() }),
    );
    await eventually(() => expect(scene.reasons(`${path}+us`)).toContain('its credentials were rotated in place'));
    expect(scene.reasons(`${path}+eu`)).toContainEqual(
      expect.stringMatching(/user .* not found.*keeps its last good configuration/),
    );
    expect(scene.names()).toHaveLength(2);
  });

  it('S-1, PV-6: an untrusted kubeconfig cannot run commands', async () => {
    await using scene = await Scene.open();
    const exec = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'true' } };
    const path = await scene.write('a.kubeconfig', kubeconfigOf({ eu: { config: one.config, user: exec } }));
    scene.run({ policy: 'untrusted', configure: (config) => ({ ...config, userAgent: 'copier' }) });
    await eventually(() => expect(scene.reasons(`${path}+eu`)).toContainEqual(expect.stringContaining('user.exec')));
    await scene.replace('a.kubeconfig', one.kubeconfig);
    await eventually(() => expect([...scene.engaged.values()][0]?.config.userAgent).toBe('copier'));
  });

  it('resolves relative paths in a kubeconfig against its directory', async () => {
    await using scene = await Scene.open();
    const token = one.config.auth?.type === 'token' ? one.config.auth.token : '';
    await scene.write('eu/token', token);
    await scene.write('eu/kubeconfig.yaml', kubeconfigOf({ eu: { config: one.config, user: { tokenFile: 'token' } } }));
    scene.run({ kubeconfigDirs: [scene.path('eu')] });
    await eventually(() => expect(scene.names()).toEqual(['eu/kubeconfig.yaml+eu']));
    const cluster = [...scene.engaged.values()][0];
    await cluster?.apiReader.get(Namespace, { name: 'default' });
  });

  it('FI-5: get() of an empty name returns the first cluster by name', async () => {
    await using scene = await Scene.open();
    const provider = scene.run();
    await expect(provider.get('')).rejects.toThrow('no kubeconfig file has a cluster yet');
    await scene.write('b.kubeconfig', one.kubeconfig);
    await scene.write('a.kubeconfig', one.kubeconfig);
    await eventually(() => expect(scene.names()).toHaveLength(2));
    expect(await provider.get('')).toBe(scene.engaged.get(`${scene.path('a.kubeconfig')}+member-1`));
    await expect(provider.get('b')).rejects.toThrow('"b" is not engaged');
  });

  it('FI-5: runOnce reads the files once, resolves when all reachable clusters are engaged, and disengages them when its signal aborts', async () => {
    await using scene = await Scene.open();
    await scene.write('a.kubeconfig', one.kubeconfig);
    await scene.write('b.kubeconfig', kubeconfigOf({ gone: { config: { server: 'https://127.0.0.1:1' } } }));
    const provider = createFileProvider({ kubeconfigDirs: [scene.directory] });
    const end = new AbortController();
    await provider.runOnce(scene.aware, end.signal);
    expect(scene.names()).toEqual(['a.kubeconfig+member-1']);
    expect(scene.reasons(`${scene.path('b.kubeconfig')}+gone`)).toContainEqual(
      expect.stringContaining('connection refused'),
    );
    await scene.write('c.kubeconfig', one.kubeconfig);
    await provider.runOnce(scene.aware, end.signal);
    expect(scene.names()).toEqual(['a.kubeconfig+member-1', 'c.kubeconfig+member-1']);
    expect(scene.engagements).toHaveLength(2);
    end.abort();
    await eventually(() => expect(provider.clusterNames()).toEqual([]));
    await provider.runOnce(scene.aware, end.signal);
    expect(scene.engagements).toHaveLength(2);
  });

  it('FI-5: runOnce does not wait for a cluster that is refused again for the same reason', async () => {
    await using scene = await Scene.open();
    await scene.write('a.kubeconfig', one.kubeconfig);
    const configure = () => {
      throw new Error('no such region');
    };
    const provider = createFileProvider({ kubeconfigDirs: [scene.directory], configure });
    const end = new AbortController();
    for (const _ of [1, 2]) await provider.runOnce(scene.aware, end.signal);
    expect(scene.reports.map(({ reason }) => reason)).toEqual(['no such region']);
    end.abort();
  });

  it('PV-4: a path that is not a regular file does not delay other files', async () => {
    await using scene = await Scene.open();
    const pipe = scene.path('a.kubeconfig');
    await promisify(execFile)('mkfifo', [`${pipe}.pipe`]);
    await symlink(`${pipe}.pipe`, pipe);
    await scene.write('b.kubeconfig', one.kubeconfig);
    scene.run();
    try {
      await eventually(() => expect(scene.names()).toEqual(['b.kubeconfig+member-1']));
      expect(scene.reasons(pipe)).toEqual(['the file cannot be read: it is not a regular file']);
    } finally {
      // Releases a reader.
      const writer = await open(`${pipe}.pipe`, constants.O_RDWR | constants.O_NONBLOCK);
      await writer.close();
    }
  });

  it('PV-2: engages all clusters again at a second run', async () => {
    await using scene = await Scene.open();
    await scene.write('a.kubeconfig', one.kubeconfig);
    const provider = scene.run();
    await eventually(() => expect(scene.names()).toHaveLength(1));
    await scene.stop();
    expect(scene.names()).toEqual([]);
    const end = new AbortController();
    const running = provider.run(scene.aware, end.signal);
    await eventually(() => expect(scene.names()).toHaveLength(1));
    end.abort();
    await running;
  });

  it('PV-4: shows problems and engaged clusters in the fleet of a manager', async () => {
    await using scene = await Scene.open();
    const path = await scene.write('a.kubeconfig', one.kubeconfig);
    const lines: string[] = [];
    const manager = await createManager({
      config: fleet.hub.config,
      provider: createFileProvider({ kubeconfigDirs: [scene.directory], debounce: 10 }),
      metrics: { bindAddress: '0' },
      logger: createLogger({ level: 'debug', format: 'json', destination: { write: (line) => lines.push(line) } }),
    });
    const end = new AbortController();
    const started = manager.start(end.signal);
    const name = `${path}+member-1`;
    await eventually(() => expect(manager.fleet.get(name)?.phase).toBe('Engaged'));
    await writeFile(path, `${one.kubeconfig}\n: [`);
    await eventually(() => expect(manager.fleet.get(name)?.reason).toMatch(/keeps its last good configuration$/));
    expect(manager.fleet.get(name)?.phase).toBe('Engaged');
    end.abort();
    await started;
    const token = one.config.auth?.type === 'token' ? one.config.auth.token : 'no token';
    expect([...lines, JSON.stringify(manager.fleet.list())].join('\n')).not.toContain(token);
  });

  it.each<[string, object, string]>([
    ['an unknown option', { files: [] }, 'FileProvider: unknown option "files"'],
    ['a pattern with a directory', { kubeconfigGlobs: ['*/config'] }, 'option "kubeconfigGlobs.0": expected a pattern'],
    ['an empty separator', { separator: '' }, 'option "separator": expected at least one character'],
  ])('refuses %s', (_, options, message) => {
    expect(() => createFileProvider(options as FileProviderOptions)).toThrow(message);
  });
});
