import { afterAll, beforeAll } from '@jest/globals';
import type { Member } from '@mcr/provider-conformance/jest';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { Inventory } from './inventory.fixture.ts';
import { createInventoryProvider } from './inventory-provider.ts';
import { clusterProfileDefinition } from './manifests.fixture.ts';
import { Plugin } from './plugin.fixture.ts';
import { accessTo } from './profile.fixture.ts';

const ADDITIONAL_ENVS = 'clusterprofiles.multicluster.x-k8s.io/exec/additional-envs';

let plugin: Plugin;
beforeAll(async () => {
  plugin = await Plugin.write((answer) => `${answer} "$TOKEN"`);
});
afterAll(() => plugin[Symbol.asyncDispose]());

describeProvider({
  name: 'inventory, with access providers',
  crds: [clusterProfileDefinition],
  // Each member starts a process.
  fleetSize: 60,
  seeds: [1],
  setup: async ({ hub }) => {
    const inventory = await Inventory.in(hub);
    const { namespace } = Inventory;
    const setAccess = ({ name, config }: Pick<Member, 'name' | 'config'>) => {
      const token = config.auth?.type === 'token' ? config.auth.token : '';
      return inventory.setStatus(name, {
        accessProviders: [accessTo(config, { [ADDITIONAL_ENVS]: { TOKEN: token } })],
      });
    };
    const accessProvider = {
      name: 'token',
      execConfig: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin.command },
      profileSourcedEnvVarsPolicy: 'Replace',
      allowedEnv: { TOKEN: { pattern: '[\\w.~+/=-]*' } },
    } as const;
    return {
      ...inventory.setup,
      createProvider: (options) =>
        createInventoryProvider({ accessProviders: [accessProvider], namespace, unhealthyGrace: 0, ...options }),
      async add(member) {
        await inventory.add(member);
        await setAccess(member);
        await inventory.setHealthy(member.name, 'True');
      },
      remove: (name) => inventory.remove(name),
      change: setAccess,
      break: (name) => setAccess({ name, config: { server: 'no server' } }),
    };
  },
});
