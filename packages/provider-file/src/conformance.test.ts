import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { createFileProvider } from './file-provider.ts';

/** Writes a file for each member, in a directory behind a symbolic link. */
describeProvider({
  name: 'file',
  without: {
    relabel: 'a kubeconfig has no labels',
    unready: 'a listed cluster is always ready',
    ready: 'a listed cluster is always ready',
    interrupt: 'a watch of a directory has no end',
  },
  setup: async () => {
    const base = await mkdtemp(join(tmpdir(), 'mcr-file-conformance-'));
    const fleet = join(base, 'fleet');
    const real = (name: string) => join(base, 'real', `${name}.kubeconfig`);
    const lead = async (target: string) => {
      await symlink(target, join(base, 'link'));
      await rename(join(base, 'link'), fleet);
    };
    const replace = async (name: string, text: string) => {
      await writeFile(join(base, `${name}.new`), text);
      await rename(join(base, `${name}.new`), real(name));
    };
    await mkdir(join(base, 'real'));
    await lead('real');
    return {
      createProvider: (options) =>
        createFileProvider({ kubeconfigDirs: [fleet], policy: 'untrusted', debounce: 10, ...options }),
      clusterName: (name) => `${join(fleet, `${name}.kubeconfig`)}+${name}`,
      add: ({ name, kubeconfig }) => replace(name, kubeconfig),
      change: ({ name, kubeconfig }) => replace(name, kubeconfig),
      remove: (name) => rm(real(name), { force: true }),
      break: (name) =>
        replace(
          name,
          JSON.stringify({ contexts: [{ name, context: { cluster: name } }], clusters: [{ name, cluster: {} }] }),
        ),
      outage: async () => {
        // A link to itself cannot be read.
        await lead('fleet');
        return () => lead('real');
      },
      dispose: () => rm(base, { recursive: true }),
    };
  },
});
