import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
import { customResources } from './custom-resources.fixture.ts';
import { readsAndWrites } from './reads-and-writes.fixture.ts';
import type { Fact } from './session.fixture.ts';
import { Session } from './session.fixture.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CARTS = '/apis/shop.example.com/v1/carts';

/** Returns the responses of a server to the whole script. */
export async function examine(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  using client = new RawClient(config);
  await readsAndWrites(session);
  await customResources(session, async (definition) => {
    await client.post(DEFINITIONS, definition);
    // kube-apiserver takes a moment until the kind is served.
    while ((await client.get(CARTS)).status !== 200) await sleep(50);
  });
  return session.facts;
}
