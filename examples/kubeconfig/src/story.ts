import type { ClusterName, Fleet, ObjectKey, Request } from '@mcr/core';
import { ConfigMap, requestKey } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Outcome } from './controller.ts';
import { SEEN_BY } from './controller.ts';
import type { DemoFleet } from './demo-fleet.ts';
import { EXISTING } from './demo-fleet.ts';

/** What the story can do to the world, and see of it. */
export interface Stage {
  readonly demo: DemoFleet;
  readonly fleet: Fleet;
  /** The last outcome of each request, by the request's text. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Resolves when `condition` holds. @throws when it does not within the step's deadline; `what` names it. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

/** One thing that happens to the fleet, and what must come of it. */
export interface Step {
  readonly name: string;
  readonly caption: string;
  /** Rejects when what it tells of did not happen. */
  play(stage: Stage): Promise<void>;
}

const CART: Required<ObjectKey> = { namespace: 'default', name: 'cart' };

/** The life of a fleet in a dozen steps. Each builds on the ones before it. */
export function story(): Step[] {
  return [
    {
      name: 'members-join',
      caption: 'Three kubeconfig Secrets are created in the hub: three members join, their ConfigMaps are reconciled',
      async play(stage) {
        await Promise.all(stage.demo.members.map((member) => stage.demo.admit(member.name, member)));
        for (const member of stage.demo.members) await untilSeen(stage, member, EXISTING);
      },
    },
    {
      name: 'object-created',
      caption: 'A ConfigMap is created in member-1',
      async play(stage) {
        const member = memberOf(stage, 'member-1');
        await stage.demo.client(member).create(ConfigMap, { metadata: { ...CART }, data: { items: '1' } });
        await untilSeen(stage, member, CART);
      },
    },
    {
      name: 'object-changed',
      caption: 'It is changed, and its annotation removed: the controller puts the annotation back',
      async play(stage) {
        const member = memberOf(stage, 'member-1');
        const change = { data: { items: '2' }, metadata: { annotations: { [SEEN_BY]: null } } };
        await stage.demo.client(member).patch(ConfigMap, CART, change, 'merge');
        await untilSeen(stage, member, CART);
      },
    },
    {
      name: 'object-deleted',
      caption: 'It is deleted: the controller is told that it is gone',
      async play(stage) {
        await stage.demo.client(memberOf(stage, 'member-1')).delete(ConfigMap, CART);
        await stage.until('the controller saw the deletion', () => outcome(stage, 'member-1', CART) === 'gone');
      },
    },
    {
      name: 'member-joins',
      caption: 'A fourth member joins the running fleet',
      async play(stage) {
        const member = await stage.demo.addControlPlane('member-4');
        await stage.demo.admit(member.name, member);
        await untilSeen(stage, member, EXISTING);
      },
    },
    {
      name: 'credentials-rotate',
      caption: 'The credentials of member-2 rotate, and the former ones are revoked: it stays engaged',
      async play(stage) {
        const member = memberOf(stage, 'member-2');
        const engagedSince = stage.fleet.get(member.name)?.since;
        const revokeFormer = await stage.demo.rotate(member.name, member);
        await stage.until('the new credentials are in use', () => reason(stage, member.name).includes('credentials'));
        await revokeFormer();
        await stage.demo.client(member).create(ConfigMap, { metadata: { ...CART }, data: { items: '1' } });
        await untilSeen(stage, member, CART);
        if (stage.fleet.get(member.name)?.since !== engagedSince) throw new Error('member-2 was engaged anew');
      },
    },
    {
      name: 'member-retargeted',
      caption: 'The Secret of member-3 is pointed at another cluster: the same name, engaged anew',
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
      caption: 'The Secret of member-4 is broken: it stays engaged on what was good, and the table says why',
      async play(stage) {
        await stage.demo.spoil('member-4');
        await stage.until('the fleet status says so', () => reason(stage, 'member-4').includes('kubeconfig'));
        const member = memberOf(stage, 'member-4');
        await stage.demo.client(member).create(ConfigMap, { metadata: { ...CART }, data: { items: '1' } });
        await untilSeen(stage, member, CART);
      },
    },
    {
      name: 'secret-repaired',
      caption: 'The Secret of member-4 is repaired',
      async play(stage) {
        await stage.demo.admit('member-4', memberOf(stage, 'member-4'));
        await stage.until('the fleet status is well again', () => !reason(stage, 'member-4').includes('kubeconfig'));
      },
    },
    {
      name: 'member-leaves',
      caption: 'The Secret of member-1 is deleted: it leaves the fleet',
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
  const request: Request = { clusterName, ...key };
  return stage.outcomes.get(requestKey(request));
}

function phase(stage: Stage, name: ClusterName): string | undefined {
  return stage.fleet.get(name)?.phase;
}

function reason(stage: Stage, name: ClusterName): string {
  return stage.fleet.get(name)?.reason ?? '';
}
