import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { ClusterConfig } from '@mcr/core';
import { createFileProvider } from '@mcr/provider-file';
import { scenario } from '../backend/stage.ts';
import { kubeconfigOfContexts } from '../backend/kubeconfig.ts';
import { ObservedManager } from '../fleet/observed-manager.ts';
import { until } from '../until.ts';

scenario('provider-file', { members: 2 }, (stage) => {
  it('FI-4: follows the contexts of a file that is written, rotated, cut off and removed', async () => {
    const { directory } = stage();
    const [one, two] = [stage().member(0), stage().member(1)];
    const file = join(directory, 'fleet.kubeconfig');
    const write = async (contexts: Readonly<Record<string, ClusterConfig>>) => {
      await writeFile(`${file}.new`, kubeconfigOfContexts(contexts), { mode: 0o600 });
      await rename(`${file}.new`, file);
    };
    const [eu, us] = [`${file}+eu`, `${file}+us`];
    const manager = await ObservedManager.start(stage(), createFileProvider({ kubeconfigDirs: [directory] }));
    for (const member of [one, two]) await member.put('settings', member.name);

    const [first, second] = [await one.issuePass(), await two.issuePass()];
    await write({ eu: first.config, us: second.config });
    await manager.saw(eu, one.key('settings'), 'member-1');
    await manager.saw(us, two.key('settings'), 'member-2');
    await manager.reaches(eu, 'Engaged');
    const cluster = await manager.cluster(eu);

    const { auth } = cluster.config;
    const rotated = await one.issuePass();
    await write({ eu: rotated.config, us: second.config });
    await until(() => cluster.config.auth !== auth);
    await one.revoke(first);
    await one.put('settings', 'rotated');
    await manager.saw(eu, one.key('settings'), 'rotated');
    expect(await manager.cluster(eu)).toBe(cluster);

    const whole = kubeconfigOfContexts({ eu: rotated.config, us: second.config });
    await writeFile(file, whole.slice(0, whole.length / 2));
    await until(() => manager.status(eu)?.reason.includes('keeps its last good configuration') ?? false);
    await one.put('settings', 'while cut off');
    await manager.saw(eu, one.key('settings'), 'while cut off');

    await write({ us: second.config });
    await manager.reaches(eu, 'Disengaged');
    expect(manager.status(us)?.phase).toBe('Engaged');
    await rm(file);
    await manager.reaches(us, 'Disengaged');
  });
});
