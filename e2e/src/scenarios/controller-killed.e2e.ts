import { expect, it } from '@jest/globals';
import { scenario } from '../backend/stage.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { until } from '../until.ts';

scenario('controller-killed', { members: 2 }, (stage) => {
  it('a restarted controller reconciles the changes made while it was down', async () => {
    const fleet = new SecretFleet(stage());
    const [one, two] = [stage().member(0), stage().member(1)];
    await fleet.declare('member-1', (await one.issuePass()).kubeconfig);
    await one.put('before', 'a');
    const killed = await fleet.startController();
    await fleet.processed(one, 'before');

    await killed.kill();
    await one.put('before', 'b');
    await two.put('joined-meanwhile', 'c');
    await fleet.declare('member-2', (await two.issuePass()).kubeconfig);

    const restarted = await fleet.startController();
    await fleet.processed(one, 'before');
    await fleet.processed(two, 'joined-meanwhile');
    for (const name of ['member-1', 'member-2']) await until(() => restarted.status(name)?.phase === 'Engaged');
    await expect(restarted.stop()).resolves.toBe(0);
  });
});
