import { beforeAll, expect, it } from '@jest/globals';
import { scenario } from '../backend/stage.ts';
import type { Controller } from '../fleet/controller.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { until } from '../until.ts';

scenario('member-restart', { members: 2, capabilities: ['restart'] }, (stage) => {
  let fleet: SecretFleet;
  let controller: Controller;

  beforeAll(async () => {
    fleet = new SecretFleet(stage());
    for (const member of stage().members) {
      await member.put('settings', member.name);
      await fleet.declare(member.name, (await member.issuePass()).kubeconfig);
    }
    controller = await fleet.startController();
    for (const member of stage().members) await fleet.processed(member, 'settings');
  });

  it('F-1: a member that is killed delays no other, and is reconciled again when it is back', async () => {
    const [healthy, killed] = [stage().member(0), stage().member(1)];
    await killed.kill();
    await healthy.put('meanwhile', 'still here');
    await fleet.processed(healthy, 'meanwhile');

    await killed.restart();
    await killed.put('afterwards', 'back again');
    await fleet.processed(killed, 'afterwards');
    await until(() => controller.status('member-2')?.phase === 'Engaged');
  });

  it('F-18: members are reconciled while the hub is down, and a member leaves when it is back', async () => {
    const { hub } = stage();
    await hub.kill();
    await stage().member(1).put('without-hub', 'alone');
    await fleet.processed(stage().member(1), 'without-hub');

    await hub.restart();
    await fleet.withdraw('member-2');
    await until(() => controller.status('member-2')?.phase === 'Disengaged');
    expect(controller.status('member-1')?.phase).toBe('Engaged');
    await expect(controller.stop()).resolves.toBe(0);
  });
});
