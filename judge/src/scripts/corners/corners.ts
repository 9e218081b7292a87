import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { Session } from '../session.ts';
import { clusterAddresses } from './cluster-addresses.ts';
import { BOXES, boxes, embeddedMetadata } from './embedded-metadata.ts';
import { emptyNamespaces } from './empty-namespaces.ts';
import { generations } from './generations.ts';
import { quantities } from './quantities.ts';
import { strategicPatches } from './strategic-patches.ts';
import { terminatingNamespaces } from './terminating-namespaces.ts';
import { cupPaths, cups, versions } from './versions.ts';

/** Deadline for the objects of a new control plane, and for a custom kind to be served, in milliseconds. */
const TIMEOUT = 30_000;

/** Sends requests about single points that random operations seldom reach. */
export async function corners(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  using client = new RawClient(config);
  /** Waits for an object or a kind that kube-apiserver creates or serves a moment later. */
  const until = async (path: string): Promise<void> => {
    const deadline = Date.now() + TIMEOUT;
    while ((await client.get(path)).status !== 200) {
      if (Date.now() > deadline) throw new Error(`${path}: not served within ${TIMEOUT} ms`);
      await sleep(50);
    }
  };
  await client.post('/api/v1/namespaces', { metadata: { name: 'judge' } });
  await until('/api/v1/namespaces/default/services/kubernetes');
  await clusterAddresses(session);
  await emptyNamespaces(session);
  await generations(session);
  await quantities(session);
  await strategicPatches(session);
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', cups);
  for (const path of cupPaths) await until(path);
  await versions(session);
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', boxes);
  await until(BOXES);
  await embeddedMetadata(session);
  await terminatingNamespaces(session);
  return JSON.parse(JSON.stringify(session.facts)) as Fact[];
}
