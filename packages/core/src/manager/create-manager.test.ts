import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@mcr/client';
import type { ManagerOptions } from './manager-options.ts';
import { createManager } from './create-manager.ts';

const config = { server: 'https://127.0.0.1:6443' };

describe('createManager', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { config, provders: 1 }, 'createManager: unknown option "provders"'],
    ['an option of a missing feature', { config, webhookServer: {} }, 'unknown option "webhookServer"'],
    [
      'an unknown default of controllers',
      { config, controller: { workers: 4 } },
      'unknown option "controller.workers"',
    ],
    ['an unknown option of the cache', { config: 'none', cache: { compres: true } }, 'unknown option "cache.compres"'],
    ['a value that is not a config', { config: 'https://x' }, 'option "config": expected a ClusterConfig'],
    [
      'an object that is not a provider',
      { config, provider: {} },
      'option "provider": expected a Provider, which has get()',
    ],
    ['a wrong duration', { config, gracefulShutdownTimeout: -2 }, 'option "gracefulShutdownTimeout": '],
    [
      'a wrong address',
      { config, metrics: { bindAddress: '8080' } },
      'option "metrics.bindAddress": expected an address such as ":8080", or "0" for none',
    ],
    [
      'an election whose leader would outlive its lease',
      { config, leaderElection: { id: 'copy', leaseDuration: 10_000 } },
      'option "leaderElection.leaseDuration": expected more than renewDeadline (10000 ms)',
    ],
    [
      'an election whose leader would have one attempt',
      { config, leaderElection: { id: 'copy', retryPeriod: 9_000 } },
      'option "leaderElection.renewDeadline": expected more than 1.2 times retryPeriod (9000 ms)',
    ],
    ['an election without a name', { config, leaderElection: {} }, 'option "leaderElection.id": '],
    [
      'an election in no namespace, outside of a Pod',
      { config, leaderElection: { id: 'copy' } },
      'option "leaderElection.namespace": expected the namespace of the Lease',
    ],
    [
      'an election with the name of the Lease of a plan',
      {
        config,
        leaderElection: { id: 'copy-plan', namespace: 'fleet' },
        sharding: { name: 'copy', namespace: 'fleet' },
      },
      'option "leaderElection.id": expected another name than that of the plan of sharding, found "copy-plan"',
    ],
    ['a config without a usable server', { config: { server: 'here' } }, 'server must be an absolute URL'],
  ])('refuses %s, and names it', async (_, options, message) => {
    await expect(createManager(options as ManagerOptions)).rejects.toThrow(message);
  });

  it('accepts an election with the name of the Lease of a plan in another namespace', async () => {
    const leaderElection = { id: 'copy-plan', namespace: 'system' };
    const sharding = { name: 'copy', namespace: 'fleet' };
    const metrics = { bindAddress: '0' } as const;
    await expect(createManager({ config, leaderElection, sharding, metrics })).resolves.toBeDefined();
  });

  it('gives its defaults to controllers', async () => {
    const controller = { maxConcurrentReconciles: 4 };
    const manager = await createManager({ config, controller, logger: silentLogger, metrics: { bindAddress: '0' } });
    expect(manager.controllerOptions).toEqual(controller);
    expect(manager.provider).toBeUndefined();
    expect(manager.metrics).toBeUndefined();
    expect(manager.localManager.cluster.config.server).toBe(config.server);
  });
});
