import { createClient, EventsV1Event, Namespace } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { QUOTA_NAME, ResourceQuota, TEAM } from './quota-controller.ts';

/** Changes one cluster, and rejects if the controller does not react as expected. */
export async function playIn(controlPlane: ControlPlane): Promise<void> {
  const say = (line: string) => console.log(`${controlPlane.name}: ${line}`);
  await using client = createClient(controlPlane.config);
  const key = { namespace: 'carts', name: QUOTA_NAME };
  const quotaIs = (pods: string) =>
    eventually(async () => (await client.find(ResourceQuota, key))?.spec?.hard?.['pods'] === pods);

  await client.create(Namespace, { metadata: { name: 'carts', labels: { [TEAM]: 'carts' } } });
  await quotaIs('20');
  say('a namespace of a team was created: it has a quota');

  await client.patch(ResourceQuota, key, { spec: { hard: { pods: '1000' } } }, 'merge');
  await quotaIs('20');
  say('the quota was raised: the controller restored it');

  await client.delete(ResourceQuota, key);
  await quotaIs('20');
  say('the quota was deleted: the controller created it again');

  await eventually(async () => {
    const { items } = await client.list(EventsV1Event, { namespace: 'default' });
    return items.some(({ reason, regarding }) => reason === 'QuotaSet' && regarding?.name === 'carts');
  });
  say('events on the namespace report the changes');
}
