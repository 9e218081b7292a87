import { afterAll, describe, it } from '@jest/globals';
import { conformanceSuite } from './conformance.ts';
import type { ProviderDefinition } from './contract.ts';

export type { ConformanceEnvironment, Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';

/** Added to the deadline of a case, in milliseconds, so that the case can report what it was waiting for. */
const MARGIN = 10_000;

/** Declares the cases of a provider as Jest tests. A case that is left out is skipped, with the reason in its title. */
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
