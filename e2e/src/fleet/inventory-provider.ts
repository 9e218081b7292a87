import { expect, it } from '@jest/globals';
import { scenario } from '../backend/stage.ts';
import { DEFINITIONS, inventoriesIn } from '../rbac/inventory.ts';
import { until } from '../until.ts';
import { ObservedManager } from './observed-manager.ts';

/** Declares the scenario of a provider that reads an inventory in the hub: the lifecycle of one entry. */
export function inventoryScenario(name: keyof typeof DEFINITIONS): void {
  scenario(`provider-${name}`, { members: 2, definitions: DEFINITIONS[name] }, (stage) => {
    it('PV-2: engages a cluster, keeps it when its kubeconfig breaks, rotates, retargets and disengages it', async () => {
      const { hub, namespace } = stage();
      const [one, two] = [stage().member(0), stage().member(1)];
      const inventory = inventoriesIn(namespace).find((candidate) => candidate.name === name);
      if (!inventory) throw new Error(`no inventory ${name}`);
      if (inventory.definition) await hub.install(inventory.definition);
      const clusterName = inventory.clusterName('eu');
      const declare = (kubeconfig: string) => inventory.declare(hub.client, 'eu', kubeconfig);
      const manager = await ObservedManager.start(
        stage(),
        inventory.createProvider((config) => config),
      );

      const first = await one.issuePass();
      await one.put('settings', 'one');
      await declare(first.kubeconfig);
      await manager.saw(clusterName, one.key('settings'), 'one');
      await manager.reaches(clusterName, 'Engaged');
      const cluster = await manager.cluster(clusterName);

      await declare('this is not a kubeconfig');
      await until(() => manager.status(clusterName)?.reason.includes('kubeconfig') ?? false);
      await one.put('settings', 'while broken');
      await manager.saw(clusterName, one.key('settings'), 'while broken');

      const second = await one.issuePass();
      const { auth } = cluster.config;
      await declare(second.kubeconfig);
      await until(() => cluster.config.auth !== auth);
      await one.revoke(first);
      await one.put('settings', 'rotated');
      await manager.saw(clusterName, one.key('settings'), 'rotated');
      expect(await manager.cluster(clusterName)).toBe(cluster);

      await two.put('settings', 'two');
      await declare((await two.issuePass()).kubeconfig);
      await manager.saw(clusterName, two.key('settings'), 'two');
      await until(async () => (await manager.cluster(clusterName)).config.server === two.config.server);

      await inventory.remove(hub.client, 'eu');
      await manager.reaches(clusterName, 'Disengaged');
    });
  });
}
