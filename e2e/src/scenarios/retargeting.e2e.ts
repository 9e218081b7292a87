import { expect, it } from '@jest/globals';
import { scenario } from '../backend/stage.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { until } from '../until.ts';

scenario('retargeting', { members: 2 }, (stage) => {
  it('KC-4: engages the other cluster when the Secret names another server, and leaves the first one alone', async () => {
    const fleet = new SecretFleet(stage());
    const [green, blue] = [stage().member(0), stage().member(1)];
    await green.put('settings', 'green');
    await blue.put('settings', 'blue');
    await fleet.declare('production', (await green.issuePass()).kubeconfig);
    const controller = await fleet.startController();
    await fleet.processed(green, 'settings');

    await fleet.declare('production', (await blue.issuePass()).kubeconfig);
    await fleet.processed(blue, 'settings');
    await until(() => controller.status('production')?.phase === 'Engaged');

    await green.put('settings', 'not reconciled');
    await blue.put('after', 'blue');
    await fleet.processed(blue, 'after');
    await expect(fleet.isProcessed(green, 'settings')).resolves.toBe(false);
    await expect(controller.stop()).resolves.toBe(0);
  });
});
