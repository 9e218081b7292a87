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

const REPORT = "call aware.report(name, { phase: 'Unreachable', reason, error }) for a record that cannot be used";

/** Broken records, members that do not respond, and outages of the inventory. */
export const troubleCases: readonly CaseDescription[] = [
  {
    id: 'PV-4',
    title:
      'engages the others when a record cannot be used from the start, reports it, and engages it once it can be used',
    needs: ['break', 'change'],
    async play(stage) {
      const [a, broken, c] = await stage.members('a', 'broken', 'c');
      await stage.addAll([a, broken, c]);
      await stage.inventory.break(broken.name);
      const system = await stage.start();
      await stage.untilEngaged(
        system,
        [a, c],
        'process each record by itself: an invalid one must not end the processing of others',
      );
      await untilReported(stage, system, broken);
      await stage.inventory.change(broken);
      await stage.untilEngaged(system, [a, broken, c], 'process a record again when it changes');
    },
  },
  {
    id: 'PV-4',
    title: 'keeps a cluster whose record becomes invalid, reports the problem once, and affects no other cluster',
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
            expected: 'a record that stays invalid is logged once',
            hint: 'do not log the problem yourself: aware.report() logs changes',
          },
          again.join('; '),
        );
      }
      await stage.inventory.change(spoiled);
      await stage.untilRead(system);
      await stage.untilEngaged(system, [a, spoiled, c], 'keep the engaged cluster until its record can be used again');
      expectNothing(
        stage.eventsSince(system, instant, [a, spoiled, c]),
        'a record that is invalid for a while neither ends an engagement nor begins one',
        'keep the last valid record of a member',
      );
    },
  },
  {
    id: 'PV-4',
    title: 'engages the others when a member does not respond, reports it, and engages it once it responds',
    needs: ['control planes'],
    async play(stage) {
      const [a, silent, c] = await stage.members('a', 'silent', 'c');
      await stage.planeOf(silent).suspend();
      await stage.addAll([a, silent, c]);
      const system = await stage.start();
      await stage.untilEngaged(system, [a, c], 'connect to members concurrently: ensure() or sync() of Clusters');
      await untilReported(stage, system, silent);
      await stage.planeOf(silent).resume();
      await stage.untilEngaged(system, [a, silent, c], 'retry until a member responds');
    },
  },
  {
    id: 'PV-3',
    title: 'keeps a cluster engaged that does not respond for a while',
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
      await stage.untilEngaged(system, [a, silent], 'only the inventory decides which members exist, not their health');
      expectNothing(
        stage.eventsSince(system, instant, [a, silent]),
        'an unreachable member stays engaged',
        'only the inventory decides which members exist, not their health',
      );
    },
  },
  {
    id: 'S-1',
    title: 'does not run a command in a record',
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
    title: 'connects to members concurrently, so that members that never respond do not delay others',
    needs: ['control planes'],
    async play(stage) {
      await using blackHole = await openBlackHole();
      const healthy = await stage.members('healthy-1', 'healthy-2', 'healthy-3');
      const hanging = hangingMembers(healthy[0], 20, blackHole);
      await stage.addAll(hanging);
      await stage.addAll(healthy);
      const system = await stage.start();
      await stage.untilEngaged(
        system,
        healthy,
        'do not wait for members: ensure() or sync() of Clusters returns at once',
      );
      await Promise.all(hanging.map((member) => untilReported(stage, system, member)));
      await Promise.all(hanging.map(({ name }) => stage.inventory.remove(name)));
      const notGone = () => hanging.find((member) => system.status(stage.clusterName(member))?.phase !== 'Disengaged');
      await stage.until(
        () => {
          const member = notGone();
          return member && statusText(system, stage.clusterName(member));
        },
        {
          expected: 'members that were removed before they responded are Disengaged',
          hint: 'remove() of Clusters stops connecting',
        },
      );
      // Connections must be closed before the black hole stops.
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
          'an inventory that cannot be read has no effect',
          'keep all clusters while the inventory does not respond: no member is known to be removed',
        );
        await end();
      }
      await stage.untilRead(system);
      await stage.untilEngaged(system, [stays, leaves], 'nothing has changed in the inventory');
      expectNothing(
        stage.eventsSince(system, instant, [stays, leaves]),
        'an unchanged inventory that can be read again has no effect',
        'compare the records with the engaged clusters',
      );
      await stage.inventory.remove(leaves.name);
      await stage.inventory.add(joins);
      await stage.untilEngaged(system, [stays, joins], 'continue to read the inventory after a failure');
    },
  },
  {
    id: 'PV-3',
    title: 'starts while the inventory cannot be read, and engages its clusters once it can be read',
    needs: ['outage'],
    async play(stage) {
      const members = await stage.members('one', 'two');
      await stage.addAll(members);
      const end = await stage.inventory.outage();
      const system = await stage.start();
      await stage.passes(OUTAGE);
      await end();
      await stage.untilEngaged(system, members, 'retry in run() until the inventory can be read, and do not reject');
    },
  },
  {
    id: 'PV-3',
    title: 'keeps engagements when a read of the inventory ends',
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
      await stage.untilEngaged(system, members, 'an engagement lasts until its member is removed');
      expectNothing(
        stage.eventsSince(system, instant, members),
        'the end of a watch or poll ends no engagement',
        'pass the signal of run() to engagements, not that of a read or of a reconcile',
      );
    },
  },
];

/** Sends a request with the current credentials of the cluster and ignores its result. */
async function requestFrom(system: System, name: string): Promise<void> {
  const request = async () => (await system.getCluster(name)).apiReader.get(Namespace, { name: 'kube-system' });
  await request().catch(() => undefined);
}

/** Returns the kubeconfig with a user whose command creates the file `trace`. */
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

/** Duration of an outage in milliseconds: long enough for the provider to notice it. */
const OUTAGE = 200;

/** Returns members whose server never responds. */
export function hangingMembers({ config }: Member, count: number, { url }: BlackHole): Member[] {
  return Array.from({ length: count }, (_, index) => memberOf(`a-hanging-${index}`, { ...config, server: url }));
}

/** Resolves once the fleet status reports a problem of a member. */
async function untilReported(stage: Stage, system: System, member: Member): Promise<void> {
  const name = stage.clusterName(member);
  await stage.until(() => (system.status(name)?.lastError === undefined ? statusText(system, name) : undefined), {
    expected: `the fleet status reports the problem of ${name}`,
    hint: REPORT,
  });
}

/**
 * Resolves once a member is engaged, or the fleet status reports why it is not. If a command provides credentials, it
 * has ended by then.
 */
async function untilDecided(stage: Stage, system: System, member: Member): Promise<void> {
  const name = stage.clusterName(member);
  const isDecided = () => {
    const status = system.status(name);
    return status?.phase === 'Engaged' || status?.lastError !== undefined;
  };
  await stage.until(() => (isDecided() ? undefined : statusText(system, name)), {
    expected: `${name} is engaged, or the fleet status reports its problem`,
    hint: REPORT,
  });
}

/** Returns the warnings and errors that were logged for a member. */
function complaintsOf(stage: Stage, { lines }: System, member: Member): string[] {
  const name = stage.clusterName(member);
  return lines
    .filter(({ level, fields }) => (level === 'warn' || level === 'error') && fields['cluster'] === name)
    .map(({ message, fields }) => `${message}: ${String(fields['reason'])}`);
}
