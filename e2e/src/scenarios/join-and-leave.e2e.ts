import { beforeAll, expect, it } from '@jest/globals';
import { scenario } from '../backend/stage.ts';
import type { Controller } from '../fleet/controller.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { until } from '../until.ts';

scenario('join-and-leave', { members: 2 }, (stage) => {
  let fleet: SecretFleet;
  let controller: Controller;

  beforeAll(async () => {
    fleet = new SecretFleet(stage());
    for (const member of stage().members) await member.put('settings', member.name);
    controller = await fleet.startController();
  });

  it('PV-4: reconciles every member that joins, next to broken and unreachable members', async () => {
    const [one, two] = [await stage().member(0).issuePass(), await stage().member(1).issuePass()];
    const unreachable = one.kubeconfig.replace(new URL(one.config.server).host, '127.0.0.1:1');
    await fleet.declare('broken', 'not a kubeconfig');
    await fleet.declare('unreachable', unreachable);
    await fleet.declare('member-1', one.kubeconfig);
    await fleet.declare('member-2', two.kubeconfig);

    for (const member of stage().members) await fleet.processed(member, 'settings');
    await until(() => controller.status('unreachable')?.phase === 'Unreachable');
    await until(() => controller.status('broken')?.phase === 'Unreachable');
    expect(controller.status('unreachable')?.reason).toContain('127.0.0.1:1');
    expect(controller.status('broken')?.reason).toContain('kubeconfig');
    expect(controller.log('broken')).toHaveLength(1);
    expect(controller.log('unreachable')).toHaveLength(1);
  });

  it('KC-5: disengages a member whose Secret is deleted, and keeps the others', async () => {
    await fleet.withdraw('member-1');
    await until(() => controller.status('member-1')?.phase === 'Disengaged');
    await stage().member(0).put('settings', 'not reconciled');
    await stage().member(1).put('after', 'the other one left');
    await fleet.processed(stage().member(1), 'after');
    expect(controller.status('member-2')?.phase).toBe('Engaged');
    await expect(fleet.isProcessed(stage().member(0), 'settings')).resolves.toBe(false);
  });

  it('engages a member that joins again, and reconciles what changed meanwhile', async () => {
    const { kubeconfig } = await stage().member(0).issuePass();
    await fleet.declare('member-1', kubeconfig);
    await fleet.processed(stage().member(0), 'settings');
    await until(() => controller.status('member-1')?.phase === 'Engaged');
  });

  it('F-20: ends the controller at SIGTERM with exit code 0', async () => {
    await expect(controller.stop()).resolves.toBe(0);
  });
});
