import { expect, it } from '@jest/globals';
import { createFaultProxy } from '@mcr/envtest';
import { kubeconfigOfContexts } from '../backend/kubeconfig.ts';
import { scenario } from '../backend/stage.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';

scenario('compaction', { members: 1, capabilities: ['compact'] }, (stage) => {
  it('F-5: finds changes made during a cut connection after the history was compacted', async () => {
    const fleet = new SecretFleet(stage());
    const member = stage().member(0);
    await member.put('settings', 'a');
    const { config } = await member.issuePass();
    const proxy = stage().stack.use(await createFaultProxy({ target: config }));
    await fleet.declare('member-1', kubeconfigOfContexts({ proxied: proxy.config }));
    const controller = await fleet.startController();
    await fleet.processed(member, 'settings');

    proxy.inject({ on: 'connections', fault: { type: 'reset' } });
    await member.put('settings', 'b');
    await member.put('created-meanwhile', 'c');
    await member.compact();
    // Later writes make the version that the controller has seen older than the history.
    await member.put('settings', 'd');
    proxy.heal();

    await fleet.processed(member, 'settings');
    await fleet.processed(member, 'created-meanwhile');
    await expect(controller.stop()).resolves.toBe(0);
  });
});
