import type { ClusterName, Fleet, ObjectKey, ReconcileRequest } from '@mcr/core';
import { ConfigMap, requestKey } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Outcome } from './controller.ts';
import { SEEN_BY } from './controller.ts';
import type { DemoFleet } from './demo-fleet.ts';
import { EXISTING } from './demo-fleet.ts';

/** Gives a step access to the fleet and to what the controller did. */
export interface Stage {
  readonly demo: DemoFleet;
  readonly fleet: Fleet;
  /** The last outcome of each request, by request key. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Resolves once `condition` holds. `what` names it in the error. @throws if the deadline of the step passes first. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

/** One change to the fleet, and the expected result. */
export interface Step {
  readonly name: string;
  readonly caption: string;
  /** Rejects if the expected result does not occur. */
  play(stage: Stage): Promise<void>;
}

const CART: Required<ObjectKey> = { namespace: 'default', name: 'cart' };

/** Returns the steps of the demo. Each one depends on the steps before it. */
export function story(): Step[] {
  return [
    {
      name: 'members-join',
      caption: 'Create three kubeconfig Secrets in the hub: three members join the fleet',
      async play(stage) {
        await Promise.all(stage.demo.members.map((member) => stage.demo.admit(member.name, member)));
        for (const member of stage.demo.members) await untilSeen(stage, member, EXISTING);
      },
    },
    {
      name: 'object-created',
      caption: 'Create a ConfigMap in member-1: the controller annotates it',
      async play(stage) {
        const member = memberOf(stage, 'member-1');
        await stage.demo.client(member).create(ConfigMap, { metadata: { ...CART }, data: { items: '1' } });
        await untilSeen(stage, member, CART);
      },
    },
    {
      name: 'object-changed',
      caption: 'Change it and remove the annotation: the controller adds the annotation again',
      async play(stage) {
        const member = memberOf(stage, 'member-1');
        const change = { data: { items: '2' }, metadata: { annotations: { [SEEN_BY]: null } } };
        await stage.demo.client(member).patch(ConfigMap, CART, change, 'merge');
        await untilSeen(stage, member, CART);
      },
    },
    {
      name: 'object-deleted',
      caption: 'Delete it: the controller sees that it no longer exists',
      async play(stage) {
        await stage.demo.client(memberOf(stage, 'member-1')).delete(ConfigMap, CART);
        await stage.until('the controller saw the deletion', () => outcome(stage, 'member-1', CART) === 'gone');
      },
    },
    {
      name: 'member-joins',
      caption: 'Create the Secret of a fourth member: it joins the running fleet',
      async play(stage) {
        const member = await stage.demo.addControlPlane('member-4');
        await stage.demo.admit(member.name, member);
        await untilSeen(stage, member, EXISTING);
      },
    },
    {
      name: 'credentials-rotate',
      caption: 'Rotate the credentials of member-2 and revoke the previous ones: it stays engaged',
      async play(stage) {
        const member = memberOf(stage, 'member-2');
        const engagedSince = stage.fleet.get(member.name)?.since;
        const revokePrevious = await stage.demo.rotate(member.name, member);
        await stage.until('the new credentials are in use', () => reason(stage, member.name).includes('credentials'));
        await revokePrevious();
        await stage.demo.client(member).create(ConfigMap, { metadata: { ...CART }, data: { items: '1' } });
        await untilSeen(stage, member, CART);
        if (stage.fleet.get(member.name)?.since !== engagedSince) throw new Error('member-2 was engaged again');
      },
    },
    {
      name: 'member-retargeted',
      caption: 'Point the Secret of member-3 at another cluster: it replaces the first one',
      async play(stage) {
        const replacement = await stage.demo.addControlPlane('replacement');
        await stage.demo.admit('member-3', replacement);
        await stage.until('the other cluster is reconciled as member-3', async () => {
          const settings = await stage.demo.client(replacement).get(ConfigMap, EXISTING);
          return settings.metadata.annotations?.[SEEN_BY] === 'member-3';
        });
      },
    },
    {
      name: 'secret-broken',
      caption: 'Break the Secret of member-4: it stays engaged, and REASON shows the error',
      async play(stage) {
        await stage.demo.spoil('member-4');
        await stage.until('the fleet status shows the error', () => reason(stage, 'member-4').includes('kubeconfig'));
        const member = memberOf(stage, 'member-4');
        await stage.demo.client(member).create(ConfigMap, { metadata: { ...CART }, data: { items: '1' } });
        await untilSeen(stage, member, CART);
      },
    },
    {
      name: 'secret-repaired',
      caption: 'Repair the Secret of member-4: the error disappears',
      async play(stage) {
        await stage.demo.admit('member-4', memberOf(stage, 'member-4'));
        await stage.until('the fleet status shows no error', () => !reason(stage, 'member-4').includes('kubeconfig'));
      },
    },
    {
      name: 'member-leaves',
      caption: 'Delete the Secret of member-1: it leaves the fleet',
      async play(stage) {
        await stage.demo.withdraw('member-1');
        await stage.until('member-1 is disengaged', () => phase(stage, 'member-1') === 'Disengaged');
      },
    },
  ];
}

async function untilSeen(stage: Stage, member: ControlPlane, key: Required<ObjectKey>): Promise<void> {
  await stage.until(`${key.name} in ${member.name} carries ${SEEN_BY}`, async () => {
    const configMap = await stage.demo.client(member).get(ConfigMap, key);
    return configMap.metadata.annotations?.[SEEN_BY] === member.name;
  });
}

function memberOf(stage: Stage, name: ClusterName): ControlPlane {
  const member = stage.demo.members.find((candidate) => candidate.name === name);
  if (!member) throw new Error(`the demo has no control plane ${name}`);
  return member;
}

function outcome(stage: Stage, clusterName: ClusterName, key: Required<ObjectKey>): Outcome | undefined {
  const request: ReconcileRequest = { clusterName, ...key };
  return stage.outcomes.get(requestKey(request));
}

function phase(stage: Stage, name: ClusterName): string | undefined {
  return stage.fleet.get(name)?.phase;
}

function reason(stage: Stage, name: ClusterName): string {
  return stage.fleet.get(name)?.reason ?? '';
}
