import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import { customResources } from './custom-resources.ts';
import { readsAndWrites } from './reads-and-writes.ts';
import type { Fact } from '../session.ts';
import { Session } from '../session.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CARTS = '/apis/shop.example.com/v1/carts';

/** Reads, writes and watches objects of built-in kinds and of a custom one. */
export async function protocol(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  using client = new RawClient(config);
  await readsAndWrites(session);
  await customResources(session, async (definition) => {
    await client.post(DEFINITIONS, definition);
    // kube-apiserver takes a moment until the kind is served.
    while ((await client.get(CARTS)).status !== 200) await sleep(50);
  });
  return JSON.parse(JSON.stringify(session.facts)) as Fact[];
}
