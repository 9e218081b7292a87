import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import { customResources } from './custom-resources.ts';
import { oddRequests } from './odd-requests.ts';
import { readsAndWrites } from './reads-and-writes.ts';
import { metadata } from './metadata.ts';
import type { Fact } from '../session.ts';
import { Session } from '../session.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CARTS = '/apis/shop.example.com/v1/carts';

/** Reads, writes and watches objects of built-in kinds and of a custom one. */
export async function protocol(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  using client = new RawClient(config);
  await readsAndWrites(session);
  await metadata(session);
  // kube-apiserver takes a moment until a kind is served.
  const served = async (path: string): Promise<void> => {
    while ((await client.get(path)).status !== 200) await sleep(50);
  };
  await customResources(session, async (definition) => {
    await client.post(DEFINITIONS, definition);
    await served(CARTS);
  });
  await oddRequests(session, async (definition) => {
    await client.post(DEFINITIONS, definition);
    await served('/apis/odd.example.com/v1/jars');
    await served('/apis/odd.example.com/v1beta1/jars');
  });
  return JSON.parse(JSON.stringify(session.facts)) as Fact[];
}
