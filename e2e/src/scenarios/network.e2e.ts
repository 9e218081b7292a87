import { beforeAll, expect, it } from '@jest/globals';
import { createFaultProxy, type FaultProxy } from '@mcr/envtest';
import { scenario } from '../backend/stage.ts';
import type { Controller } from '../fleet/controller.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { kubeconfigOfContexts } from '../backend/kubeconfig.ts';
import { until } from '../until.ts';

/** Ten times the limit from the first answer to current caches, for a busy machine, in milliseconds. */
const RECOVERED = 20_000;

scenario('network', { members: 2 }, (stage) => {
  let fleet: SecretFleet;
  let controller: Controller;
  let proxy: FaultProxy;

  beforeAll(async () => {
    fleet = new SecretFleet(stage());
    const [faulty, healthy] = [stage().member(0), stage().member(1)];
    for (const member of [faulty, healthy]) await member.put('settings', member.name);
    const { config } = await faulty.issuePass();
    proxy = stage().stack.use(await createFaultProxy({ target: config }));
    await fleet.declare('member-1', kubeconfigOfContexts({ proxied: proxy.config }));
    await fleet.declare('member-2', (await healthy.issuePass()).kubeconfig);
    controller = await fleet.startController();
    for (const member of [faulty, healthy]) await fleet.processed(member, 'settings');
  });

  it('F-2: reconciles a member whose connections were reset as soon as they are accepted again', async () => {
    const [faulty, healthy] = [stage().member(0), stage().member(1)];
    proxy.inject({ on: 'connections', fault: { type: 'reset' } });
    await faulty.put('settings', 'during the outage');
    await healthy.put('settings', 'meanwhile');
    await fleet.processed(healthy, 'settings');
    await expect(fleet.isProcessed(faulty, 'settings')).resolves.toBe(false);

    proxy.heal();
    await fleet.processed(faulty, 'settings');
  });

  it('F-12: a member that accepts connections and never answers delays no other', async () => {
    const [faulty, healthy] = [stage().member(0), stage().member(1)];
    proxy.inject({ on: 'connections', fault: { type: 'half-open' } });
    await faulty.put('settings', 'while half-open');
    for (let round = 0; round < 10; round++) {
      await healthy.put(`round-${round}`, 'b');
      await fleet.processed(healthy, `round-${round}`);
    }
    await until(() => controller.reconciles('member-2', 'round-9') > 0);
  });

  it('F-3, F-22: a member that is half-open is noticed, and reconciled as soon as new connections work', async () => {
    const faulty = stage().member(0);
    const isNoticed = () => controller.log('member-1').some((line) => line.includes('no answer to a ping'));
    await until(isNoticed);
    await expect(fleet.isProcessed(faulty, 'settings')).resolves.toBe(false);

    proxy.heal();
    await until(() => fleet.isProcessed(faulty, 'settings'), { within: RECOVERED });
    await expect(controller.stop()).resolves.toBe(0);
  });
});
