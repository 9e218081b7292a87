import { after, describe, it } from 'node:test';
import { conformanceSuite } from './conformance.ts';
import type { ProviderDefinition } from './contract.ts';

export type { ConformanceEnvironment, Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';

/** Beyond the deadline that a case keeps by itself, in milliseconds: then it says what it waited for. */
const MARGIN = 10_000;

/** Declares the tests of a provider to `node:test`. What is left out is reported as skipped, and why. */
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
