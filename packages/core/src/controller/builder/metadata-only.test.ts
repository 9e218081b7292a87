import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeepReadonly, KubernetesObject, Span, SpanOptions, Tracer } from '@mcr/client';
import { ConfigMap, createClient, Deployment, silentLogger } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import { createManager } from '../../manager/create-manager.ts';
import type { Predicate } from '../predicate/predicate.ts';
import { controllerManagedBy } from './builder.ts';

/** Records the names of the requests of a client. */
class RequestNames implements Tracer {
  readonly names: string[] = [];

  startActiveSpan<F extends (span: Span) => unknown>(name: string, _: SpanOptions, fn: F): ReturnType<F> {
    this.names.push(name);
    const nothing = () => undefined;
    return fn({ setAttribute: nothing, setStatus: nothing, recordException: nothing, end: nothing }) as ReturnType<F>;
  }
}

describe('metadata-only watches', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await createControlPlane();
  });
  afterAll(() => plane.stop());

  it('CT-12: metadata-only watches keep apiVersion and kind, request only metadata, and share one informer', async () => {
    const client = createClient(plane.config);
    const selector = { matchLabels: { app: 'web' } };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    const spec = { selector, template };
    const { metadata: web } = await client.create(Deployment, {
      metadata: { namespace: 'default', name: 'web' },
      spec,
    });
    // Without its owner, the object would be garbage-collected.
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: web.uid, controller: true };
    const metadata = { namespace: 'default', name: 'settings', labels: { app: 'web' }, ownerReferences: [owner] };
    await client.create(ConfigMap, { metadata, data: { large: 'value' } });
    await client.close();

    const tracer = new RequestNames();
    const manager = await createManager({
      config: plane.config,
      tracer,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const objects: DeepReadonly<KubernetesObject>[] = [];
    const seen: Predicate = ({ object }) => {
      if (object.metadata.labels?.['app'] === 'web') objects.push(object);
      return object.metadata.labels?.['app'] === 'web';
    };
    const options = { metadataOnly: true, predicates: [seen] };
    const reconciled = new Set<string>();
    const all = Promise.withResolvers<void>();
    const reconcilerOf = (controller: string) => async (request: { readonly name: string }) => {
      reconciled.add(`${controller} ${request.name}`);
      if (reconciled.size === 3) all.resolve();
    };
    await controllerManagedBy(manager).named('a').for(ConfigMap, options).complete(reconcilerOf('a'));
    await controllerManagedBy(manager)
      .named('b')
      .for(Deployment, { predicates: [() => false] })
      .owns(ConfigMap, options)
      .complete(reconcilerOf('b'));
    await controllerManagedBy(manager)
      .named('c')
      .watches(ConfigMap, enqueueRequestForObject(), options)
      .complete(reconcilerOf('c'));
    const end = new AbortController();
    const running = manager.start(end.signal);
    await all.promise;
    end.abort();
    await running;

    expect([...reconciled].sort()).toEqual(['a settings', 'b web', 'c settings']);
    expect(objects).toHaveLength(3);
    const [first] = objects;
    for (const object of objects) expect(object).toBe(first);
    expect(first).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { app: 'web' } } });
    expect(first).not.toHaveProperty('data');
    expect(tracer.names.filter((name) => name.endsWith(' configmaps'))).toEqual(['watch configmaps']);
  });
});
