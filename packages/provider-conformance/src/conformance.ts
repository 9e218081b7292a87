import type { CaseDescription } from './case.ts';
import { checkOperations, leftOutBecause } from './case.ts';
import { changeCases } from './cases/change.ts';
import { largeFleetCase } from './cases/large-fleet.ts';
import { membershipCases } from './cases/membership.ts';
import { ownershipCases } from './cases/ownership.ts';
import { randomCases } from './cases/randomly.ts';
import { runningCases } from './cases/running.ts';
import { troubleCases } from './cases/trouble.ts';
import type { ConformanceCase, ProviderDefinition } from './contract.ts';
import { held, untilReleased } from './held.ts';
import { Laboratory } from './laboratory.ts';
import { Stage } from './stage.ts';

/** The cases of a provider, and the resources that they share. */
export interface ConformanceSuite extends AsyncDisposable {
  /** Run them one after another, in any order. */
  readonly cases: readonly ConformanceCase[];
  /** Ends the process that serves the control planes. Call it after the last case. */
  stop(): Promise<void>;
}

/** Deadline of a case on a busy machine, in milliseconds. */
const DEADLINE = 120_000;

/**
 * Returns the cases that every provider must pass (PV-2 to PV-8, SH-9), for any test runner. For Jest and `node:test`, use
 * `describeProvider` of `@mcr/provider-conformance/jest` and `@mcr/provider-conformance/node-test`.
 */
export function conformanceSuite(definition: ProviderDefinition): ConformanceSuite {
  const laboratory = new Laboratory();
  const stop = () => laboratory.stop();
  const { fleetSize = 500, seeds = seedsOf(process.env['MCR_SEED']) } = definition;
  const descriptions = [
    ...membershipCases,
    ...changeCases,
    ...troubleCases,
    ...runningCases,
    ...ownershipCases,
    ...randomCases(seeds),
    largeFleetCase(fleetSize),
  ];
  return {
    cases: descriptions.map((description) => {
      const { id, title, deadline = DEADLINE } = description;
      const leftOut = leftOutBecause(description, definition);
      return {
        id,
        title,
        deadline,
        ...(leftOut !== undefined && { leftOut }),
        run: (signal) => play({ definition, description, laboratory, signal: withDeadline(signal, deadline) }),
      };
    }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** @param text seeds, separated by commas. */
function seedsOf(text = '1,2,3'): number[] {
  return text.split(',').map(Number);
}

function withDeadline(signal: AbortSignal, deadline: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(deadline)]);
}

async function play(parts: {
  definition: ProviderDefinition;
  description: CaseDescription;
  laboratory: Laboratory;
  signal: AbortSignal;
}): Promise<void> {
  const { description, laboratory } = parts;
  await laboratory.start();
  const before = held();
  const stage = await Stage.open(parts);
  try {
    checkOperations(stage.setup, parts.definition);
    await description.play(stage);
  } catch (error) {
    // Reports the first failure, rather than one of the cleanup.
    await stage.close().catch(() => undefined);
    throw error;
  }
  await stage.close();
  await untilReleased(before);
}
