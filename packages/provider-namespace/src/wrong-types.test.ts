import { describe, expect, it } from '@jest/globals';
import type { Cluster, ClusterObservation, InformerHandler, Namespace } from '@mcr/core';
import { createCluster } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createNamespaceProvider } from './namespace-provider.ts';

/** Returns a cluster whose cache calls back to the test. */
function clusterOf(handler: (handler: InformerHandler<Namespace>) => void): Cluster {
  const cluster = createCluster({ server: 'http://127.0.0.1:9' });
  const subscribe = async (_kind: unknown, given: InformerHandler<Namespace>) => {
    handler(given);
    return { synced: Promise.resolve(), informer: { store: { get: () => undefined } }, remove: () => undefined };
  };
  return new Proxy(cluster, {
    get: (target, name) => (name === 'cache' ? { subscribe } : (Reflect.get(target, name, target) as unknown)),
  });
}

const namespaceOf = (name: string, fields: object = {}, labels: unknown = { env: 'prod' }) =>
  ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '', labels },
    ...fields,
  }) as Namespace;

const eventOf = (object: Namespace) => ({ key: { name: object.metadata.name }, object, metadata: object.metadata });

describe('namespaces whose fields have wrong types', () => {
  it('PV-4, S-14: affect only their own entry, which keeps its last good cluster', async () => {
    const subscribed = Promise.withResolvers<InformerHandler<Namespace>>();
    const provider = createNamespaceProvider({ cluster: clusterOf(subscribed.resolve) });
    const end = new AbortController();
    const reports: (ClusterObservation & { readonly name: string })[] = [];
    const report = (name: string, observation: ClusterObservation) => void reports.push({ name, ...observation });
    const ended = provider.run({ engage: async () => undefined, report }, end.signal);
    const handler = await subscribed.promise;
    const good = namespaceOf('eu-1');
    handler.onAdd?.({ ...eventOf(good), initial: true });
    await eventually(() => expect(provider.clusterNames()).toEqual(['eu-1']));
    const cluster = await provider.get('eu-1');

    const wrong: [field: string, namespace: Namespace][] = [
      ['status', namespaceOf('eu-1', { status: 'text' })],
      ['status', namespaceOf('eu-1', { status: [] })],
      ['status.phase', namespaceOf('eu-1', { status: { phase: {} } })],
      ['metadata.labels', namespaceOf('eu-1', {}, [])],
      ['metadata.labels', namespaceOf('eu-1', {}, 7)],
      ['metadata.labels.env', namespaceOf('eu-1', {}, { env: {} })],
    ];
    for (const [index, [field, namespace]] of wrong.entries()) {
      const old = { oldObject: good, oldMetadata: good.metadata };
      handler.onUpdate?.({ ...eventOf(good), ...old });
      handler.onUpdate?.({ ...eventOf(namespace), ...old });
      expect(reports.at(-1)).toMatchObject({ name: 'eu-1', phase: 'Unreachable' });
      expect(reports.at(-1)?.reason).toContain(`its namespace cannot be read: ${field}: expected`);
      expect(await provider.get('eu-1')).toBe(cluster);
      handler.onAdd?.({ ...eventOf(namespaceOf(`later-${index}`, { status: null, spec: null })), initial: false });
      await eventually(() => expect(provider.clusterNames()).toContain(`later-${index}`));
    }
    end.abort();
    await ended;
    await cluster.run(AbortSignal.abort());
  });
});
