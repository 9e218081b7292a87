import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/core';
import { scenario } from '../backend/stage.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';
import { Replica } from '../sharding/replica.ts';
import { until } from '../until.ts';

const MEMBERS = 4;
/** ConfigMaps in each member. */
const OBJECTS = 5;

scenario('sharded-fleet', { members: MEMBERS }, (stage) => {
  it('SH-4, SH-6: replicas divide the fleet, and each object has one writer through a join, a pause, a crash and a stop', async () => {
    const fleet = new SecretFleet(stage());
    const { hub, members, namespace, directory, stack } = stage();
    const kubeconfig = join(directory, 'replicas.kubeconfig');
    await writeFile(kubeconfig, (await hub.issuePass()).kubeconfig, { mode: 0o600 });
    const start = (name: string) =>
      stack.adopt(new Replica(name, { kubeconfig, namespace }), (replica) => replica.kill());
    for (const [index, member] of members.entries()) {
      await fleet.declare(`member-${index}`, (await member.issuePass()).kubeconfig);
    }
    let round = 0;
    /** Changes every object, and waits until each change was written once. */
    const work = async () => {
      round += 1;
      const objects = members.flatMap((member) =>
        Array.from({ length: OBJECTS }, (_, number) => ({ member, name: `object-${number}` })),
      );
      for (const { member, name } of objects) await member.put(name, `round ${round}`);
      for (const { member, name } of objects) await fleet.processed(member, name);
      for (const { member, name } of objects) {
        const { data } = await member.client.get(ConfigMap, member.key(name));
        expect(data?.['writers']?.trim().split(' ')).toHaveLength(round);
      }
    };
    /** Resolves once each member has one owner among the replicas, and each of these owns a member. */
    const divided = (...replicas: readonly Replica[]) =>
      until(() => {
        const owned = replicas.map((replica) => replica.owned);
        const all = owned.flat();
        return all.length === MEMBERS && new Set(all).size === MEMBERS && owned.every((names) => names.length > 0);
      });

    const a = start('a');
    await divided(a);
    await work();

    const b = start('b');
    await divided(a, b);
    await work();
    expect(b.reconciles).toBeGreaterThan(0);

    a.pause();
    await divided(b);
    await work();
    const written = a.reconciles;
    a.resume();
    await divided(a, b);
    expect(a.reconciles).toBe(written);
    await work();

    await b.kill();
    await divided(a);
    await work();

    const c = start('c');
    await divided(a, c);
    await expect(a.stop()).resolves.toBe(0);
    await divided(c);
    await work();
    await expect(c.stop()).resolves.toBe(0);
  });
});
