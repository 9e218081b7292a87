import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { clusterNotFoundWrapper } from './reconcile/cluster-not-found-wrapper.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import type { Result } from './reconcile/reconciler.ts';
import type { ReconcileRequest, RequestType } from './reconcile/request.ts';
import { TerminalError } from './reconcile/terminal-error.ts';
import { funcSource } from './source/func-source.ts';
import { createController } from './create-controller.ts';
import { FakeManager } from './fake-manager.fixture.ts';
import { FakeMetrics } from './fake-metrics.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

/** Returns a reconciler that runs one step of the list in each call, and succeeds after the last step. */
function script(...steps: readonly (() => Promise<Result | void>)[]) {
  const attempts: number[] = [];
  let call = 0;
  return {
    attempts,
    reconciler: async (_: ReconcileRequest, { attempt }: { readonly attempt: number }) => {
      attempts.push(attempt);
      return steps[call++]?.();
    },
  };
}

describe('reconcile', () => {
  let running: RunningController;
  afterEach(async () => {
    await running.stop().catch(() => undefined);
    expect(running.fake.clock.pendingTimers).toBe(0);
  });
  const results = () => running.fake.outcomes.map(({ result }) => result);
  const errorLines = () => running.fake.lines.filter(({ level }) => level === 'error');

  it('RC-2: an error is retried with backoff, until it succeeds', async () => {
    const fail = async () => {
      throw new Error('not yet');
    };
    const { reconciler, attempts } = script(fail, fail, fail);
    running = new RunningController({ reconciler });
    await running.engage('a', 'x');
    expect(running.seen).toHaveLength(1);
    await running.advance(5);
    expect(running.seen).toHaveLength(2);
    await running.advance(9);
    expect(running.seen).toHaveLength(2);
    await running.advance(1);
    expect(running.seen).toHaveLength(3);
    await running.advance(20);
    expect(attempts).toEqual([1, 2, 3, 4]);
    await running.advance(1_000_000);
    expect(running.seen).toHaveLength(4);
    expect(results()).toEqual(['error', 'error', 'error', 'success']);
    expect(running.fake.outcomes[0]).toMatchObject({ cluster: 'a', controller: 'test', error: new Error('not yet') });
  });

  it('RC-2: requeueAfter waits for the delay, and resets the backoff', async () => {
    const fail = async () => {
      throw new Error('not yet');
    };
    const { reconciler, attempts } = script(fail, fail, async () => ({ requeueAfter: 60_000 }), fail);
    running = new RunningController({ reconciler });
    await running.engage('a', 'x');
    await running.advance(15);
    expect(running.seen).toHaveLength(3);
    await running.advance(59_999);
    expect(running.seen).toHaveLength(3);
    await running.advance(1);
    expect(attempts).toEqual([1, 2, 3, 1]);
    await running.advance(5);
    expect(attempts).toEqual([1, 2, 3, 1, 2]);
    expect(results()).toEqual(['error', 'error', 'requeue_after', 'error', 'success']);
  });

  it('RC-2: requeue retries with backoff, at the requested priority', async () => {
    const priorities: number[] = [];
    let call = 0;
    running = new RunningController({
      reconciler: async (_, { priority }) => {
        priorities.push(priority);
        call += 1;
        return call === 1 ? { requeue: true } : call === 2 ? { requeue: true, priority: 3 } : undefined;
      },
    });
    await running.engage('a', 'x');
    await running.advance(14);
    expect(priorities).toEqual([-100, -100]);
    await running.advance(1);
    expect(priorities).toEqual([-100, -100, 3]);
    expect(results()).toEqual(['requeue', 'requeue', 'success']);
  });

  it('RC-2: a delay that is not a number is an error', async () => {
    const { reconciler } = script(async () => ({ requeueAfter: NaN }));
    running = new RunningController({ reconciler });
    await running.engage('a', 'x');
    expect(errorLines()[0]?.fields['error']).toBeInstanceOf(RangeError);
    await running.advance(5);
    expect(results()).toEqual(['error', 'success']);
  });

  it.each([
    [{ RequeueAfter: 100 }, 'unknown field "RequeueAfter": the fields are requeueAfter (in milliseconds)'],
    [{ requeueAfter: '100' }, 'the field requeueAfter of a reconcile result must be a number, found a string'],
    [{ requeueAfter: {} }, 'the field requeueAfter of a reconcile result must be a number, found an object'],
    [{ requeueAfter: null }, 'the field requeueAfter of a reconcile result must be a number, found null'],
    [{ requeue: 1 }, 'the field requeue of a reconcile result must be a boolean, found a number'],
    ['requeue', 'must be undefined or an object, found a string: return nothing'],
    [true, 'must be undefined or an object, found a boolean'],
    [[], 'must be undefined or an object, found an array'],
  ])('RC-2: the result %j is an error that says what to do', async (result, message) => {
    const { reconciler } = script(async () => result as Result);
    running = new RunningController({ reconciler });
    await running.engage('a', 'x');
    const error = errorLines()[0]?.fields['error'];
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).toContain(message);
    expect(errorLines()[0]?.message).toBe('reconciler panicked');
    await running.advance(5);
    expect(results()).toEqual(['error', 'success']);
  });

  it('RC-3: a TerminalError is logged and counted, and never retried', async () => {
    const { reconciler } = script(async () => {
      throw new Error('wrapped', { cause: new TerminalError('the spec is wrong') });
    });
    running = new RunningController({ reconciler });
    await running.engage('a', 'x');
    await running.advance(3_600_000);
    expect(running.seen).toHaveLength(1);
    expect(results()).toEqual(['error']);
    expect(errorLines()).toHaveLength(1);
  });

  it('RC-4: a request whose own cluster was disengaged is not retried', async () => {
    running = new RunningController({
      reconciler: clusterNotFoundWrapper<ReconcileRequest>(async ({ clusterName }) => {
        throw new AggregateError([new Error('x', { cause: new ClusterNotFoundError(clusterName) })]);
      }),
    });
    await running.engage('a', 'x');
    await running.advance(3_600_000);
    expect(running.seen).toHaveLength(1);
    expect(results()).toEqual(['success']);
  });

  it('RC-4: a request that does not find another cluster is retried', async () => {
    running = new RunningController({
      reconciler: clusterNotFoundWrapper<ReconcileRequest>({
        reconcile: async () => {
          throw new ClusterNotFoundError('b');
        },
      }),
    });
    await running.engage('a', 'x');
    await running.advance(5);
    expect(results()).toEqual(['error', 'error']);
  });

  it('RC-5, F-15: a reconciler that throws synchronously fails like one that rejects', async () => {
    let calls = 0;
    running = new RunningController({
      reconciler: (): Promise<void> => {
        calls += 1;
        if (calls === 1) throw new TypeError('x is not a function');
        return Promise.resolve();
      },
    });
    await running.engage('a', 'x');
    await running.advance(5);
    expect(results()).toEqual(['error', 'success']);
  });

  it('RC-5, CT-16: a failure is counted by its kind', async () => {
    const metrics = new FakeMetrics();
    const steps = [new TypeError('x is not a function'), 'oops', new Error('not yet'), new TerminalError('wrong')];
    const { reconciler } = script(...steps.map((thrown) => () => Promise.reject(thrown)));
    running = new RunningController({ reconciler }, { metrics });
    await running.engage('a', 'x');
    await running.advance(1_000);
    expect(metrics.ended).toMatchObject([
      { cluster: 'a', result: 'error', failure: 'panic' },
      { cluster: 'a', result: 'error', failure: 'panic' },
      { cluster: 'a', result: 'error', failure: 'error' },
      { cluster: 'a', result: 'error', failure: 'terminal' },
    ]);
    expect(errorLines().map(({ message }) => message)).toEqual([
      'reconciler panicked',
      'reconciler panicked',
      'reconcile failed',
      'reconcile failed, not retrying',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['a text', 'out of stock', "'out of stock'"],
    ['an object', { plain: 1 }, '{ plain: 1 }'],
    ['a long text', 'x'.repeat(10_000), `'${'x'.repeat(196)}…`],
  ])('RC-5: the log and the fleet status show that a reconciler threw %s', async (_, thrown, shown) => {
    const message = `the reconciler threw a value that is not an Error: ${shown}: throw an Error`;
    running = new RunningController({ reconciler: () => Promise.reject(thrown) });
    await running.engage('a', 'x');
    const [line] = errorLines();
    expect(line).toMatchObject({ message: 'reconciler panicked', fields: { error: { name: 'TypeError', message } } });
  });

  it('RC-5: with recoverPanic false, a panic stops the controller with the thrown value', async () => {
    const error = new TypeError('x is not a function');
    running = new RunningController({ recoverPanic: false, reconciler: () => Promise.reject(error) });
    await running.engage('a', 'x', 'y');
    await expect(running.ended).rejects.toBe(error);
    expect(running.seen).toEqual(['a/x']);
  });

  it('RC-5: with recoverPanic false, errors are retried, and a TerminalError does not stop the controller', async () => {
    running = new RunningController({
      recoverPanic: false,
      reconciler: ({ name }) => Promise.reject(name === 'x' ? new Error('not yet') : new TerminalError('wrong')),
    });
    await running.engage('a', 'x', 'y');
    await running.advance(5);
    expect(running.seen).toEqual(['a/x', 'a/y', 'a/x']);
  });

  it('RC-9: every log line of a reconcile carries controller, cluster, namespace, name and an id', async () => {
    running = new RunningController({
      reconciler: async (_, { log, reconcileId }) => {
        log.info('mine', { reconcileId });
        throw new Error('not yet');
      },
    });
    await running.engage('eu-1', 'x');
    await running.advance(5);
    const lines = running.fake.lines.filter(({ fields }) => 'name' in fields);
    expect(lines.map(({ message }) => message)).toEqual(['mine', 'reconcile failed', 'mine', 'reconcile failed']);
    for (const { fields } of lines) {
      expect(fields).toMatchObject({ controller: 'test', cluster: 'eu-1', namespace: 'default', name: 'x' });
    }
    const ids = lines.map(({ fields }) => fields['reconcileID']);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(2);
    expect(lines[0]?.fields['reconcileId']).toBe(ids[0]);
  });

  it('passes the cluster to a reconcile, in a context that can be spread', async () => {
    const clusters: unknown[] = [];
    running = new RunningController({
      reconciler: async (_, context) => {
        const { cluster, signal, log, clusterName } = { ...context };
        clusters.push(await cluster(), clusterName, signal.aborted, typeof log.info);
      },
    });
    const member = await running.engage('eu-1', 'x');
    expect(clusters).toEqual([member, 'eu-1', false, 'function']);
  });

  it('CT-14: runs exactly maxConcurrentReconciles reconciles at once', async () => {
    let active = 0;
    let most = 0;
    const finish: (() => void)[] = [];
    running = new RunningController({
      maxConcurrentReconciles: 3,
      reconciler: async () => {
        active += 1;
        most = Math.max(most, active);
        await new Promise<void>((resolve) => finish.push(resolve));
        active -= 1;
      },
    });
    await running.engage('a', ...Array.from({ length: 10 }, (_, i) => `x${i}`));
    for (let done = 0; done < 10; done++) {
      expect(active).toBe(Math.min(3, 10 - done));
      finish[done]?.();
      await running.fake.settle();
    }
    expect(most).toBe(3);
  });

  it('CT-14: uses its own rate limiter and logger, and otherwise the options of the manager', async () => {
    const { reconciler } = script(async () => ({ requeue: true }));
    const own = new FakeManager();
    const limiter = { when: () => 777, attempts: () => 0, forget: jest.fn(), dropCluster: () => undefined };
    running = new RunningController(
      { reconciler, rateLimiter: limiter, logger: own.logger, maxConcurrentPerCluster: 1 },
      { controllerOptions: { maxConcurrentReconciles: 2, reconciliationTimeout: 50 } },
    );
    await running.engage('a', 'x');
    await running.advance(776);
    expect(running.seen).toHaveLength(1);
    await running.advance(1);
    expect(running.seen).toHaveLength(2);
    expect(limiter.forget).toHaveBeenCalledTimes(1);
  });

  it('stops handing out requests, aborts running reconciles, and waits for them', async () => {
    const gate = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    running = new RunningController({
      reconciler: async (_, { signal }) => {
        signals.push(signal);
        await gate.promise;
      },
    });
    await running.engage('a', 'x', 'y');
    let stopped = false;
    const stop = running.stop().then(() => (stopped = true));
    await running.fake.settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(stopped).toBe(false);
    gate.resolve();
    await stop;
    expect(running.seen).toEqual(['a/x']);
    await expect(running.controller.run(new AbortController().signal)).rejects.toThrow(
      'controller test was run already',
    );
  });

  it('an internal error stops the controller', async () => {
    const error = new Error('the rate limiter is broken');
    const broken = () => {
      throw error;
    };
    const rateLimiter = { when: broken, attempts: () => 0, forget: broken, dropCluster: () => undefined };
    running = new RunningController({ rateLimiter });
    await running.engage('a', 'x');
    await expect(running.ended).rejects.toBe(error);
  });

  it('RC-8: custom request types work from source to reconciler', async () => {
    interface Shard {
      readonly cluster: string;
      readonly shard: number;
    }
    const requestType: RequestType<Shard> = {
      key: ({ cluster, shard }) => `${cluster}#${shard}`,
      clusterOf: ({ cluster }) => cluster,
      withCluster: (request, cluster) => ({ ...request, cluster }),
    };
    running = new RunningController();
    const seen: Shard[] = [];
    const controller = createController<Shard>('shards', running.fake.manager, {
      requestType,
      reconciler: async (request, { log }) => {
        log.info('sharded');
        seen.push(request);
      },
    });
    await controller.watch(funcSource(({ queue }) => [1, 2, 1].forEach((shard) => queue.add({ cluster: 'a', shard }))));
    const abort = new AbortController();
    const ended = controller.run(abort.signal);
    await running.fake.settle();
    expect(seen).toEqual([
      { cluster: 'a', shard: 1 },
      { cluster: 'a', shard: 2 },
    ]);
    expect(running.fake.lines.at(-1)?.fields).toMatchObject({ cluster: 'a', request: 'a#2' });
    abort.abort();
    await ended;
  });

  it('refuses a name that is in use or empty, and options that are unknown or invalid', async () => {
    running = new RunningController();
    const { manager } = running.fake;
    const reconciler = async () => undefined;
    expect(() => createController('test', manager, { reconciler })).toThrow('controller test exists already');
    expect(() => createController('', manager, { reconciler })).toThrow(
      'createController: expected a name, found an empty string',
    );
    expect(() => createController('a', manager, { reconciler, maxConcurrentReconciles: 0 })).toThrow(
      /controller "a": option "maxConcurrentReconciles"/,
    );
    const misspelt = { reconciler, maxConcurrentReconcile: 2 };
    expect(() => createController('a', manager, misspelt)).toThrow('unknown option "maxConcurrentReconcile"');
    const without = {} as { reconciler: typeof reconciler };
    expect(() => createController('a', manager, without)).toThrow('option "reconciler": expected a function');
  });
});
