import { after, describe, it } from 'node:test';
import { conformanceSuite } from './conformance.ts';
import type { ProviderDefinition } from './contract.ts';

export type { ConformanceEnvironment, Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';

/** Added to the deadline of a case, in milliseconds, so that the case can report what it was waiting for. */
const MARGIN = 10_000;

/** Declares the cases of a provider as tests of `node:test`. A case that is left out is skipped, with the reason. */
export function describeProvider(definition: ProviderDefinition): void {
  const suite = conformanceSuite(definition);
  void describe(`provider ${definition.name}: conformance`, () => {
    for (const { id, title, deadline, leftOut, run } of suite.cases) {
      const options = { timeout: deadline + MARGIN, ...(leftOut !== undefined && { skip: leftOut }) };
      void it(`${id}: ${title}`, options, (test) => run(test.signal));
    }
    after(() => suite.stop());
  });
}
