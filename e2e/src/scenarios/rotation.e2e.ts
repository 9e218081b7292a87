import { expect, it } from '@jest/globals';
import { scenario } from '../backend/stage.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { until } from '../until.ts';

scenario('rotation', { members: 1 }, (stage) => {
  it('F-13: uses new credentials in place, also after the old ones are revoked', async () => {
    const fleet = new SecretFleet(stage());
    const member = stage().member(0);
    const first = await member.issuePass();
    await member.put('untouched', 'a');
    await fleet.declare('member-1', first.kubeconfig);
    const controller = await fleet.startController();
    await fleet.processed(member, 'untouched');
    // The controller reconciles its own write too.
    await until(() => controller.reconciles('member-1', 'untouched') > 1);
    const before = controller.reconciles('member-1', 'untouched');

    const second = await member.issuePass();
    await fleet.declare('member-1', second.kubeconfig);
    await until(() => controller.status('member-1')?.reason === 'its credentials were rotated in place');
    await member.revoke(first);
    await member.put('after', 'b');
    await fleet.processed(member, 'after');

    expect(controller.status('member-1')?.phase).toBe('Engaged');
    // A cluster that was engaged again would have been reconciled again.
    expect(controller.reconciles('member-1', 'untouched')).toBe(before);
    await expect(controller.stop()).resolves.toBe(0);
  });

  it('F-13: reports credentials that are revoked before they are rotated, and recovers with the new ones', async () => {
    const fleet = new SecretFleet(stage());
    const member = stage().member(0);
    const first = await member.issuePass();
    await fleet.declare('member-1', first.kubeconfig);
    const controller = await fleet.startController();
    await until(() => controller.status('member-1')?.phase === 'Engaged');

    await member.revoke(first);
    await member.put('while-revoked', 'c');
    const second = await member.issuePass();
    await fleet.declare('member-1', second.kubeconfig);
    await fleet.processed(member, 'while-revoked');
    await until(() => controller.status('member-1')?.phase === 'Engaged');
    await expect(controller.stop()).resolves.toBe(0);
  });
});
