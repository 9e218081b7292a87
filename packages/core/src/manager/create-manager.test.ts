import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@mcr/client';
import type { ManagerOptions } from './create-manager.ts';
import { createManager } from './create-manager.ts';

const config = { server: 'https://127.0.0.1:6443' };

describe('createManager', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { config, provders: 1 }, 'createManager: unknown option "provders"'],
    ['an option whose feature is not there', { config, webhookServer: {} }, 'unknown option "webhookServer"'],
    [
      'an unknown default of controllers',
      { config, controller: { workers: 4 } },
      'unknown option "controller.workers"',
    ],
    ['a config that is none', { config: 'https://x' }, 'option "config": expected a ClusterConfig'],
    ['a provider that is none', { config, provider: {} }, 'option "provider": expected a Provider, which has get()'],
    ['a wrong duration', { config, gracefulShutdownTimeout: -2 }, 'option "gracefulShutdownTimeout": '],
    ['a config without a usable server', { config: { server: 'here' } }, 'server must be an absolute URL'],
  ])('refuses %s, and names it', async (_, options, message) => {
    await expect(createManager(options as ManagerOptions)).rejects.toThrow(message);
  });

  it('gives its defaults to controllers', async () => {
    const controller = { maxConcurrentReconciles: 4 };
    const manager = await createManager({ config, controller, logger: silentLogger });
    expect(manager.controllerOptions).toEqual(controller);
    expect(manager.provider).toBeUndefined();
    expect(manager.localManager.cluster.config.server).toBe(config.server);
  });
});
