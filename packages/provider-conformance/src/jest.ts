import { afterAll, describe, it } from '@jest/globals';
import { conformanceSuite } from './conformance.ts';
import type { ProviderDefinition } from './contract.ts';

export type { ConformanceEnvironment, Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';

/** Beyond the deadline that a case keeps by itself, in milliseconds: then it says what it waited for. */
const MARGIN = 10_000;

/** Declares the tests of a provider to Jest. A case that is left out is skipped, with the reason in its title. */
export function describeProvider(definition: ProviderDefinition): void {
  const suite = conformanceSuite(definition);
  describe(`provider ${definition.name}: conformance`, () => {
    for (const { id, title, deadline, leftOut, run } of suite.cases) {
      const play = () => run(new AbortController().signal);
      if (leftOut === undefined) it(`${id}: ${title}`, play, deadline + MARGIN);
      else it.skip(`${id}: ${title} (left out: ${leftOut})`, play);
    }
    afterAll(() => suite.stop());
  });
}
