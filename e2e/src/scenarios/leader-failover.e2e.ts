import { expect, it } from '@jest/globals';
import { Lease } from '@mcr/core';
import { scenario } from '../backend/stage.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { until } from '../until.ts';

const LEASE = 'copier';

scenario('leader-failover', { members: 1 }, (stage) => {
  it('MG-5: the second process takes over from a leader that is killed, and again from one that stops', async () => {
    const fleet = new SecretFleet(stage());
    const { hub } = stage();
    const member = stage().member(0);
    const holder = async () => (await hub.client.find(Lease, hub.key(LEASE)))?.spec?.holderIdentity;
    await fleet.declare('member-1', (await member.issuePass()).kubeconfig);
    await member.put('settings', 'a');

    const leader = await fleet.startController({ lease: LEASE });
    await fleet.processed(member, 'settings');
    const first = (await holder()) ?? '';
    const standby = await fleet.startController({ lease: LEASE });
    // It logs who leads.
    await until(() => standby.log().some((line) => line.includes(first)));
    await member.put('settings', 'b');
    await fleet.processed(member, 'settings');
    expect(standby.allReconciles).toBe(0);

    await leader.kill();
    await member.put('settings', 'c');
    await fleet.processed(member, 'settings');
    const second = await holder();
    expect(second).not.toBe(first);

    // Started after the standby leads, or it might have taken over itself.
    const third = await fleet.startController({ lease: LEASE });
    await expect(standby.stop()).resolves.toBe(0);
    await member.put('settings', 'd');
    await fleet.processed(member, 'settings');
    expect(await holder()).not.toBe(second);
    await expect(third.stop()).resolves.toBe(0);
  });
});
