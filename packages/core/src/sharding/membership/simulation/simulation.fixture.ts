import type { MembershipRules } from '../rules.ts';
import { DEFAULT_RULES } from '../rules.ts';
import { EventQueue } from './event-queue.fixture.ts';
import type { FaultKind } from './faults.fixture.ts';
import { planFaults } from './faults.fixture.ts';
import { ModelHub } from './model-hub.fixture.ts';
import { Oracle, Violation } from './oracle.fixture.ts';
import { Random } from './random.fixture.ts';
import { Replica } from './replica.fixture.ts';
import type { Sabotage } from './sabotage.fixture.ts';

export interface ScheduleOptions {
  readonly seed: number;
  /** Default: 4. */
  readonly replicas?: number;
  /** Default: 8. */
  readonly slots?: number;
  /** Default: `mixed`. */
  readonly kind?: FaultKind;
  /** Rules of each replica. Default: {@link DEFAULT_RULES}. */
  readonly rules?: readonly MembershipRules[];
  /** Default: none. */
  readonly sabotage?: Sabotage;
}

/** End of the faults. True milliseconds. */
const FAULTS = 60_000;

/**
 * Runs a schedule: faults, and then quiet.
 *
 * @throws {Violation} if it violates SH-2, SH-3, SH-11, SH-16 or SH-17.
 */
export function runSchedule(options: ScheduleOptions): void {
  try {
    run(options);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new Violation(`seed ${options.seed}: ${error.message}; replay it with SHARD_SEED=${options.seed}`);
  }
}

function run({
  seed,
  replicas: count = 4,
  slots = 8,
  kind = 'mixed',
  rules = [],
  sabotage = {},
}: ScheduleOptions): void {
  const random = new Random(seed);
  const queue = new EventQueue();
  const oracle = new Oracle(queue, slots);
  const hub = new ModelHub(() => {
    for (const replica of replicas) replica.hint();
  });
  const onChange = (replica: Replica) => oracle.changed(replica);
  const replicas = Array.from({ length: count }, (_, index) => {
    const own = rules[index % rules.length] ?? DEFAULT_RULES;
    return new Replica({ id: `r${index}`, queue, hub, random, rules: own, slots, sabotage, onChange });
  });
  for (const replica of replicas) queue.at(random.between(0, 3_000), () => replica.start());
  const isByHand = planFaults({ queue, random, hub, replicas }, { kind, end: FAULTS });
  queue.runUntil(FAULTS);

  const longest = Math.max(...replicas.map(({ state }) => eviction(state?.rules ?? DEFAULT_RULES)));
  const bound = isByHand ? 2 * longest + 20_000 : longest + 13_000;
  queue.runUntil(FAULTS + bound);
  for (let slot = 0; slot < slots; slot++) {
    const isActive = replicas.some((replica) => replica.isActive(slot));
    if (!isActive && (oracle.lastActive[slot] ?? 0) < FAULTS)
      throw new Violation(`SH-3: slot ${slot} was not active again`);
  }
  const quiet = FAULTS + bound + 30_000;
  queue.runUntil(quiet);
  const before = replicas.map(({ requests, writes }) => ({ requests: requests.length, writes }));
  queue.runUntil(quiet + 15_000);
  for (let slot = 0; slot < slots; slot++) {
    if (!replicas.some((replica) => replica.isActive(slot)))
      throw new Violation(`SH-3: slot ${slot} is not active at the end`);
  }
  replicas.forEach(({ id, requests, writes }, index) => {
    if (writes - (before[index]?.writes ?? 0) > 7) throw new Violation(`SH-17: ${id} writes without need`);
    if (requests.length - (before[index]?.requests ?? 0) > 25) throw new Violation(`SH-17: ${id} sends without need`);
  });
  checkPlans(hub, { quiet, kind });
}

function eviction({ leaseDuration, margin }: MembershipRules): number {
  return leaseDuration + margin;
}

function checkPlans({ plans }: ModelHub, { quiet, kind }: { readonly quiet: number; readonly kind: FaultKind }): void {
  plans.forEach(({ at }, index) => {
    const previous = plans[index - 1];
    if (previous && at - previous.at < 690)
      throw new Violation(`SH-16: two plans within ${Math.round(at - previous.at)} ms`);
    if (at > quiet) throw new Violation(`SH-16: a plan at ${Math.round(at)} ms, after the members were quiet`);
    if (kind === 'outage' && at > 30_000)
      throw new Violation(`SH-11: a plan at ${Math.round(at)} ms, after an outage of all`);
  });
}
