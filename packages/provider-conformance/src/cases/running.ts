import type { ClusterConfig, Span, Tracer } from '@mcr/core';
import { Namespace } from '@mcr/core';
import { openBlackHole } from '../black-hole.ts';
import type { CaseDescription } from '../case.ts';
import { failure } from '../expectation.ts';
import type { Stage } from '../stage.ts';
import { clockOf } from '../system.ts';
import { hangingMembers } from './trouble.ts';

/** Start, stop and restart of a provider. */
export const runningCases: readonly CaseDescription[] = [
  {
    id: 'PV-2',
    title: 'releases all resources when it is stopped during changes',
    async play(stage) {
      const engaged = await stage.members('one', 'two');
      const joining = await stage.members('three', 'four', 'five');
      await stage.addAll(engaged);
      const system = await stage.start();
      await stage.untilEngaged(system, engaged, 'engage every member');
      await stage.addAll(joining);
      await stage.stop(system);
      const names = system.names;
      if (names.length > 0) {
        throw failure(
          { expected: 'a stopped provider has no clusters', hint: 'end run() with removeAll() of Clusters' },
          `clusterNames() is ${names.join(', ')}`,
        );
      }
    },
  },
  {
    id: 'PV-2',
    title: 'stops at once while it connects to members that do not respond',
    needs: ['control planes'],
    async play(stage) {
      await using blackHole = await openBlackHole();
      const [healthy] = await stage.members('healthy');
      await stage.addAll(hangingMembers(healthy, 20, blackHole));
      await stage.inventory.add(healthy);
      const system = await stage.start({}, { clock: unhurriedClock });
      await stage.untilEngaged(
        system,
        [healthy],
        'do not wait for members: ensure() or sync() of Clusters returns at once',
      );
      const began = performance.now();
      await stage.stop(system);
      const took = Math.round(performance.now() - began);
      if (took < STOP) return;
      throw failure(
        {
          expected: `run() resolves within ${STOP} ms of the abort`,
          hint: 'pass the signal of run() to everything that waits',
        },
        `it took ${took} ms`,
      );
    },
  },
  {
    id: 'PV-2',
    title: 'engages the clusters of the inventory after a restart, whatever changed in between',
    async play(stage) {
      const [stays, leaves, joins] = await stage.members('stays', 'leaves', 'joins');
      await stage.addAll([stays, leaves]);
      const before = await stage.start();
      await stage.untilEngaged(before, [stays, leaves], 'engage every member');
      await stage.stop(before);
      await stage.inventory.remove(leaves.name);
      await stage.inventory.add(joins);
      const after = await stage.start();
      await stage.untilEngaged(after, [stays, joins], 'read the whole inventory at the start of run()');
    },
  },
  {
    id: 'PV-2',
    title: 'engages its clusters again when run() is called again after it has ended',
    async play(stage) {
      const [stays, leaves, joins] = await stage.members('stays', 'leaves', 'joins');
      await stage.addAll([stays, leaves]);
      const system = await stage.start();
      await stage.untilEngaged(system, [stays, leaves], 'engage every member');
      await system.runAgain();
      await stage.untilEngaged(
        system,
        [stays, leaves],
        'discard the state of records when run() ends: a provider within another one is run again after a failure',
      );
      await stage.inventory.remove(leaves.name);
      await stage.inventory.add(joins);
      await stage.untilEngaged(system, [stays, joins], 'a second run() behaves like the first');
    },
  },
  {
    id: 'F-25',
    title: 'serves one manager at a time, and another one after the first has stopped',
    async play(stage) {
      const [stays, leaves, joins] = await stage.members('stays', 'leaves', 'joins');
      await stage.addAll([stays, leaves]);
      const first = await stage.start();
      await stage.untilEngaged(first, [stays, leaves], 'engage every member');
      const instant = first.ledger.events.length;
      const refusal = await first.shareProvider();
      const events = stage.eventsSince(first, instant, [stays, leaves]);
      if (refusal?.message.includes('in use') !== true || events.length > 0) {
        throw failure(
          {
            expected: 'a second manager refuses the provider, and the clusters of the first one stay engaged',
            hint: 'use the manager of the same version of @mcr/core',
          },
          `${refusal?.message ?? 'the second manager accepts it'}; ${events.join(', ') || 'nothing happened'}`,
        );
      }
      await stage.stop(first);
      await stage.inventory.remove(leaves.name);
      await stage.inventory.add(joins);
      const next = await stage.startWith(first.provider);
      await stage.untilEngaged(
        next,
        [stays, joins],
        'let setupWithManager() replace all state that the provider kept from the previous manager',
      );
    },
  },
  {
    id: 'PV-8',
    title: 'waits between two polls of the inventory',
    async play(stage) {
      const [member] = await stage.members('member');
      await stage.inventory.add(member);
      const system = await stage.start({}, { clock: unhurriedClock });
      await stage.untilEngaged(system, [member], 'engage every member');
      await expectRest(stage, 'nothing changes');
    },
  },
  {
    id: 'PV-8',
    title: 'waits between two polls of an inventory that cannot be read',
    needs: ['outage'],
    async play(stage) {
      const [member] = await stage.members('member');
      await stage.inventory.add(member);
      const system = await stage.start({}, { clock: unhurriedClock });
      await stage.untilEngaged(system, [member], 'engage every member');
      const end = await stage.inventory.outage();
      await expectRest(stage, 'the inventory cannot be read');
      await end();
    },
  },
  {
    id: 'PV-6',
    title: 'passes clusterOptions and configure to every member',
    needs: ['control planes'],
    async play(stage) {
      const members = await stage.members('one', 'two');
      await stage.addAll(members);
      const traced = new Set<unknown>();
      const tracer: Tracer = {
        startActiveSpan: (_, { attributes }, fn) => {
          traced.add(attributes?.['k8s.cluster.name']);
          return fn(idleSpan) as ReturnType<typeof fn>;
        },
      };
      const configure = (config: ClusterConfig): ClusterConfig => ({ ...config, userAgent: USER_AGENT });
      const system = await stage.start({ clusterOptions: { tracer }, configure });
      await stage.untilEngaged(system, members, 'engage every member');
      for (const member of members) {
        const name = stage.clusterName(member);
        // A provider within another one uses its own names for its clusters.
        const { apiReader, config, name: ownName = name } = await system.getCluster(name);
        await apiReader.get(Namespace, { name: 'default' });
        if (config.userAgent !== USER_AGENT) {
          throw failure(
            {
              expected: `configure() changes the configuration of ${name}`,
              hint: 'createCluster(configure(config), …)',
            },
            `its userAgent is ${String(config.userAgent)}`,
          );
        }
        if (!traced.has(ownName)) {
          throw failure(
            {
              expected: `the tracer of clusterOptions receives the requests to ${name}, under the name ${ownName}`,
              hint: 'createCluster(config, { …, ...clusterOptions, name })',
            },
            traced.size === 0 ? 'it receives none' : `it receives those to ${[...traced].join(', ')}`,
          );
        }
      }
    },
  },
];

/** A clock at normal speed, so that poll intervals and deadlines have their usual length. */
const unhurriedClock = clockOf(1);
/** Number of measurements, and the length of each, in milliseconds. */
const LOOKS = { count: 6, length: 100 };
/** Maximum share of an idle period for which the event loop may be busy. A loop without waits has nearly 1. */
const BUSY = 0.85;

/** Uses the lowest of several measurements: other work on a busy machine increases some of them, but not all. */
async function expectRest(stage: Stage, when: string): Promise<void> {
  let least = 1;
  for (let look = 0; look < LOOKS.count && least > BUSY; look++) {
    const before = performance.eventLoopUtilization();
    await stage.passes(LOOKS.length);
    least = Math.min(least, performance.eventLoopUtilization(before).utilization);
  }
  if (least <= BUSY) return;
  throw failure(
    {
      expected: `the process is mostly idle while ${when}`,
      hint: 'wait for pollInterval after each poll, also after a failed one, and back off from errors',
    },
    `its event loop is busy for ${Math.round(least * 100)} percent of the time`,
  );
}

/**
 * Time for a provider to stop on a busy machine, in milliseconds. It has nothing to wait for. It is less than the ten
 * seconds of a connection to a member that does not respond.
 */
const STOP = 8_000;

const USER_AGENT = 'conformance';

const idleSpan: Span = {
  setAttribute: () => undefined,
  setStatus: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};
