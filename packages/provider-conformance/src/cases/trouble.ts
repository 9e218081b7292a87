import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace } from '@mcr/core';
import type { BlackHole } from '../black-hole.ts';
import { openBlackHole } from '../black-hole.ts';
import type { CaseDescription } from '../case.ts';
import type { Member } from '../contract.ts';
import { failure } from '../expectation.ts';
import { memberOf } from '../member.ts';
import type { Stage } from '../stage.ts';
import { statusText } from '../stage.ts';
import type { System } from '../system.ts';
import { expectNothing } from './membership.ts';

const REPORT = "aware.report(name, { phase: 'Unreachable', reason, error }) for a record that cannot be used";

/** Members, and an inventory, that are not well. */
export const troubleCases: readonly CaseDescription[] = [
  {
    id: 'PV-4',
    title:
      'engages the others when a record cannot be used from the start, says so, and engages it when it can be used',
    needs: ['break', 'change'],
    async play(stage) {
      const [a, broken, c] = await stage.members('a', 'broken', 'c');
      await stage.addAll([a, broken, c]);
      await stage.inventory.break(broken.name);
      const system = await stage.start();
      await stage.untilEngaged(
        system,
        [a, c],
        'look at each record for itself: a bad one must not end the look at others',
      );
      await untilReported(stage, system, broken);
      await stage.inventory.change(broken);
      await stage.untilEngaged(system, [a, broken, c], 'look at a record again when it changes');
    },
  },
  {
    id: 'PV-4',
    title: 'keeps a cluster whose record is spoiled, says what is wrong once, and touches no other',
    needs: ['break', 'change'],
    async play(stage) {
      const [a, spoiled, c] = await stage.members('a', 'spoiled', 'c');
      await stage.addAll([a, spoiled, c]);
      const system = await stage.start();
      await stage.untilEngaged(system, [a, spoiled, c], 'engage every member');
      const instant = system.ledger.events.length;
      await stage.inventory.break(spoiled.name);
      await untilReported(stage, system, spoiled);
      await stage.untilRead(system);
      const logged = complaintsOf(stage, system, spoiled);
      await stage.untilRead(system);
      const again = complaintsOf(stage, system, spoiled);
      if (again.length > logged.length) {
        throw failure(
          {
            expected: 'a record that stays bad is logged once',
            hint: 'aware.report() logs changes by itself: write no line beside it',
          },
          again.join('; '),
        );
      }
      await stage.inventory.change(spoiled);
      await stage.untilRead(system);
      await stage.untilEngaged(system, [a, spoiled, c], 'keep what is engaged until its record can be used again');
      expectNothing(
        stage.eventsSince(system, instant, [a, spoiled, c]),
        'a record that is spoiled for a while ends no engagement, and begins none',
        'keep the last good record of a member',
      );
    },
  },
  {
    id: 'PV-4',
    title: 'engages the others when a member does not answer, says so, and engages it when it does',
    needs: ['control planes'],
    async play(stage) {
      const [a, silent, c] = await stage.members('a', 'silent', 'c');
      await stage.planeOf(silent).suspend();
      await stage.addAll([a, silent, c]);
      const system = await stage.start();
      await stage.untilEngaged(
        system,
        [a, c],
        'connect to members apart from each other: ensure() or sync() of Clusters',
      );
      await untilReported(stage, system, silent);
      await stage.planeOf(silent).resume();
      await stage.untilEngaged(system, [a, silent, c], 'try again until a member answers');
    },
  },
  {
    id: 'PV-3',
    title: 'keeps a cluster engaged that does not answer for a while',
    needs: ['control planes'],
    async play(stage) {
      const [a, silent] = await stage.members('a', 'silent');
      await stage.addAll([a, silent]);
      const system = await stage.start();
      await stage.untilEngaged(system, [a, silent], 'engage every member');
      const instant = system.ledger.events.length;
      await stage.planeOf(silent).suspend();
      await stage.untilRead(system);
      await stage.planeOf(silent).resume();
      await stage.untilEngaged(system, [a, silent], 'membership is for the inventory to say, not for the member');
      expectNothing(
        stage.eventsSince(system, instant, [a, silent]),
        'a member that cannot be reached stays engaged',
        'membership is for the inventory to say, not for the member',
      );
    },
  },
  {
    id: 'S-1',
    title: 'runs no command that a record names',
    needs: ['change', 'control planes', 'untrusted records'],
    async play(stage) {
      const [a, hostile, newcomer] = await stage.members('a', 'hostile', 'newcomer');
      const trace = join(tmpdir(), `mcr-conformance-${randomUUID()}`);
      const commanding = (member: Member) => ({ ...member, kubeconfig: withCommand(member.kubeconfig, trace) });
      await stage.addAll([a, hostile]);
      const system = await stage.start();
      await stage.untilEngaged(system, [a, hostile], 'engage every member');
      try {
        await stage.inventory.change(commanding(hostile));
        await stage.untilRead(system);
        await requestFrom(system, stage.clusterName(hostile));
        await stage.inventory.add(commanding(newcomer));
        await untilDecided(stage, system, newcomer);
        if (!existsSync(trace)) return;
      } finally {
        await rm(trace, { force: true });
      }
      throw failure(
        {
          expected: 'a command in the kubeconfig of a record is not run',
          hint: "parseKubeconfig(text, { policy: 'untrusted' }), or declare without: { 'untrusted records': … } if only the operator can write the inventory",
        },
        'it was run',
      );
    },
  },
  {
    id: 'PV-5',
    title: 'connects to members at the same time, so that those which never answer keep no other waiting',
    needs: ['control planes'],
    async play(stage) {
      await using blackHole = await openBlackHole();
      const healthy = await stage.members('healthy-1', 'healthy-2', 'healthy-3');
      const hanging = hangingMembers(healthy[0], 20, blackHole);
      await stage.addAll(hanging);
      await stage.addAll(healthy);
      const system = await stage.start();
      await stage.untilEngaged(system, healthy, 'wait for no member: ensure() or sync() of Clusters returns at once');
      await Promise.all(hanging.map((member) => untilReported(stage, system, member)));
      await Promise.all(hanging.map(({ name }) => stage.inventory.remove(name)));
      const notGone = () => hanging.find((member) => system.status(stage.clusterName(member))?.phase !== 'Disengaged');
      await stage.until(
        () => {
          const member = notGone();
          return member && statusText(system, stage.clusterName(member));
        },
        {
          expected: 'members that left before they answered are Disengaged',
          hint: 'remove() of Clusters gives up connecting',
        },
      );
      // What is left of connections has to be gone before the black hole is.
      await stage.stop(system);
    },
  },
  {
    id: 'PV-3',
    title: 'keeps the fleet while the inventory cannot be read, and follows it afterwards',
    needs: ['outage'],
    async play(stage) {
      const [stays, leaves, joins] = await stage.members('stays', 'leaves', 'joins');
      await stage.addAll([stays, leaves]);
      const system = await stage.start();
      await stage.untilEngaged(system, [stays, leaves], 'engage every member');
      const instant = system.ledger.events.length;
      for (let turn = 0; turn < 3; turn++) {
        const end = await stage.inventory.outage();
        await stage.passes(OUTAGE);
        expectNothing(
          stage.eventsSince(system, instant, [stays, leaves]),
          'an inventory that cannot be read changes nothing',
          'nothing is known to have left when the inventory does not answer: keep what there is',
        );
        await end();
      }
      await stage.untilRead(system);
      await stage.untilEngaged(system, [stays, leaves], 'nothing has changed in the inventory');
      expectNothing(
        stage.eventsSince(system, instant, [stays, leaves]),
        'an inventory that can be read again, and says the same, changes nothing',
        'compare what is read with what is engaged',
      );
      await stage.inventory.remove(leaves.name);
      await stage.inventory.add(joins);
      await stage.untilEngaged(system, [stays, joins], 'go on to read the inventory after it has failed');
    },
  },
  {
    id: 'PV-3',
    title: 'starts while the inventory cannot be read, and engages its clusters once it can be',
    needs: ['outage'],
    async play(stage) {
      const members = await stage.members('one', 'two');
      await stage.addAll(members);
      const end = await stage.inventory.outage();
      const system = await stage.start();
      await stage.passes(OUTAGE);
      await end();
      await stage.untilEngaged(
        system,
        members,
        'run() tries again until the inventory can be read; it does not reject',
      );
    },
  },
  {
    id: 'PV-3',
    title: 'ends no engagement because a reading of the inventory has ended',
    needs: ['interrupt'],
    async play(stage) {
      const members = await stage.members('one', 'two');
      await stage.addAll(members);
      const system = await stage.start();
      await stage.untilEngaged(system, members, 'engage every member');
      const instant = system.ledger.events.length;
      for (let turn = 0; turn < 3; turn++) {
        await stage.inventory.interrupt();
        await stage.untilRead(system);
      }
      await stage.untilEngaged(system, members, 'an engagement lasts until its member leaves');
      expectNothing(
        stage.eventsSince(system, instant, members),
        'a watch or poll that ends, ends no engagement',
        'give engagements the signal of run(), not that of a read or of a reconcile',
      );
    },
  },
];

/** Sends a request with the credentials that the cluster has now, whatever becomes of it. */
async function requestFrom(system: System, name: string): Promise<void> {
  const request = async () => (await system.getCluster(name)).apiReader.get(Namespace, { name: 'kube-system' });
  await request().catch(() => undefined);
}

/** Returns the same kubeconfig with a user that runs a command, which leaves a trace. */
function withCommand(kubeconfig: string, trace: string): string {
  const document = JSON.parse(kubeconfig) as { users: { user: object }[] };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`],
    interactiveMode: 'Never',
  };
  for (const entry of document.users) entry.user = { exec };
  return JSON.stringify(document);
}

/** How long an inventory fails, in milliseconds: time enough to notice that. */
const OUTAGE = 200;

/** Members that lead to where nobody answers. */
export function hangingMembers({ config }: Member, count: number, { url }: BlackHole): Member[] {
  return Array.from({ length: count }, (_, index) => memberOf(`a-hanging-${index}`, { ...config, server: url }));
}

/** Resolves when the fleet tells what is wrong with a member. */
async function untilReported(stage: Stage, system: System, member: Member): Promise<void> {
  const name = stage.clusterName(member);
  await stage.until(() => (system.status(name)?.lastError === undefined ? statusText(system, name) : undefined), {
    expected: `the fleet status tells what is wrong with ${name}`,
    hint: REPORT,
  });
}

/**
 * Resolves when a member is engaged, or the fleet tells why it is not. If connecting to it needs credentials from a
 * command, the command has ended by then.
 */
async function untilDecided(stage: Stage, system: System, member: Member): Promise<void> {
  const name = stage.clusterName(member);
  const isDecided = () => {
    const status = system.status(name);
    return status?.phase === 'Engaged' || status?.lastError !== undefined;
  };
  await stage.until(() => (isDecided() ? undefined : statusText(system, name)), {
    expected: `${name} is engaged, or the fleet status tells what is wrong with it`,
    hint: REPORT,
  });
}

/** What was logged of a member that somebody should look after. */
function complaintsOf(stage: Stage, { lines }: System, member: Member): string[] {
  const name = stage.clusterName(member);
  return lines
    .filter(({ level, fields }) => (level === 'warn' || level === 'error') && fields['cluster'] === name)
    .map(({ message, fields }) => `${message}: ${String(fields['reason'])}`);
}
