import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { definitionFaults } from './definition-faults.ts';
import { expressions } from './expressions.ts';
import { numbers } from './numbers.ts';
import { updates } from './updates.ts';

/** Writes definitions, and objects of their kinds, at the borders of schemas, numbers and expressions. */
export async function schemas(config: ClusterConfig): Promise<readonly Fact[]> {
  using client = new RawClient(config);
  return [
    ...(await definitionFaults(client)),
    ...(await numbers(client)),
    ...(await updates(client)),
    ...(await expressions(client)),
  ];
}
