import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ConfigMap, silentLogger } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { controllerManagedBy } from './builder/builder.ts';
import { RunningController } from './running-controller.fixture.ts';
import { createManager } from '../manager/create-manager.ts';
import { TerminalError } from './reconcile/terminal-error.ts';

describe('tracing', () => {
  let exporter: InMemorySpanExporter;
  let provider: BasicTracerProvider;
  const tracer = () => provider.getTracer('test');
  const spans = (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name);

  beforeEach(() => {
    exporter = new InMemorySpanExporter();
    provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterEach(async () => {
    context.disable();
    await provider.shutdown();
  });

  it('a reconcile is a span with its request, its attempt and its result', async () => {
    let failure: Error | undefined = new Error('no room');
    const running = new RunningController({
      reconciler: async () => {
        if (failure) throw failure;
        return { requeueAfter: 60_000 };
      },
    });
    Object.assign(running.fake, { tracer: tracer() });
    const member = await running.engage('eu-1', 'cart');
    failure = undefined;
    await running.advance(100);
    failure = new TerminalError('never');
    member.informer(ConfigMap).set({ namespace: 'default', name: 'cart' });
    await running.advance(0);
    await running.stop();

    expect(spans('reconcile test').map(({ attributes, status }) => ({ attributes, status }))).toEqual([
      {
        attributes: {
          'mcr.controller': 'test',
          'mcr.request': 'default/cart',
          'mcr.attempt': 1,
          'mcr.result': 'error',
          'k8s.cluster.name': 'eu-1',
          'k8s.namespace.name': 'default',
          'k8s.object.name': 'cart',
        },
        status: { code: 2, message: 'no room' },
      },
      expect.objectContaining({
        attributes: expect.objectContaining({ 'mcr.attempt': 2, 'mcr.result': 'requeue_after' }),
        status: { code: 0 },
      }),
      expect.objectContaining({
        attributes: expect.objectContaining({ 'mcr.attempt': 1, 'mcr.result': 'error' }),
        status: { code: 2, message: 'never' },
      }),
    ]);
  });

  it('a reconcile whose cluster is disengaged is neither a success nor a failure', async () => {
    const running = new RunningController({
      reconciler: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    });
    Object.assign(running.fake, { tracer: tracer() });
    const member = await running.engage('eu-1', 'cart');
    member.leave();
    await running.stop();
    expect(spans('reconcile test').map(({ attributes }) => attributes['mcr.result'])).toEqual(['aborted']);
  });

  describe('with a manager', () => {
    let controlPlane: ControlPlane;

    beforeEach(async () => {
      controlPlane = await createControlPlane();
    });
    afterEach(() => controlPlane.stop());

    it('the calls that a reconciler makes are children of its span', async () => {
      const manager = await createManager({
        config: controlPlane.config,
        tracer: tracer(),
        logger: silentLogger,
        metrics: { bindAddress: '0' },
      });
      const end = new AbortController();
      await controllerManagedBy(manager)
        .named('root-ca')
        .for(ConfigMap)
        .complete(async (request, { cluster }) => {
          const { client } = await cluster();
          await client.patch(ConfigMap, request, { metadata: { labels: { seen: 'true' } } }, 'merge');
          end.abort();
        });
      const { client } = manager.localManager.cluster;
      await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'cart' } });
      await manager.start(end.signal);

      const [reconcile] = spans('reconcile root-ca');
      const [patch] = spans('patch configmaps');
      expect(patch?.parentSpanContext?.spanId).toBe(reconcile?.spanContext().spanId);
      expect(patch?.attributes).toMatchObject({
        'k8s.cluster.name': '',
        'k8s.namespace.name': 'default',
        'http.response.status_code': 200,
      });
      const [list] = [...spans('watch configmaps'), ...spans('list configmaps')];
      expect(list?.parentSpanContext).toBeUndefined();
    });
  });
});
