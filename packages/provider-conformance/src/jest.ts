import { afterAll, describe, it } from '@jest/globals';
import { conformanceSuite } from './conformance.ts';
import type { ProviderDefinition } from './contract.ts';

export type { ConformanceEnvironment, Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';

/** Beyond the deadline that a case keeps by itself, in milliseconds: then it says what it waited for. */
const MARGIN = 10_000;

/** Declares the tests of a provider to Jest. What was left out is written out at the end. */
export function describeProvider(definition: ProviderDefinition): void {
  const suite = conformanceSuite(definition);
  const leftOut: string[] = [];
  describe(`provider ${definition.name}: conformance`, () => {
    for (const { id, title, deadline, run } of suite.cases) {
      it(
        `${id}: ${title}`,
        async () => {
          const outcome = await run(new AbortController().signal);
          if (outcome.outcome === 'left out') leftOut.push(`${id}: ${title}: ${outcome.because}`);
        },
        deadline + MARGIN,
      );
    }
    afterAll(async () => {
      await suite.stop();
      if (leftOut.length > 0) {
        process.stdout.write(`provider ${definition.name}: left out of conformance\n  ${leftOut.join('\n  ')}\n`);
      }
    });
  });
}
