import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeOwnership } from '../fleet/clusters/fake-ownership.fixture.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import { FakeMetrics } from './fake-metrics.fixture.ts';
import { TerminalError } from './reconcile/terminal-error.ts';
import { RunningController } from './running-controller.fixture.ts';

const OWN = new NotOwnerError('a', { owner: 'replica-2' });
const OTHER = new NotOwnerError('b', { owner: 'replica-2' });

describe('a reconcile that may not write', () => {
  let running: RunningController;
  afterEach(async () => {
    await running.stop().catch(() => undefined);
    expect(running.fake.clock.pendingTimers).toBe(0);
  });
  const results = () => running.fake.outcomes.map(({ result }) => result);
  const linesOf = (level: string) => running.fake.lines.filter((line) => line.level === level);

  /** Runs a controller whose first reconcile throws `error`. */
  const startWith = async (error: unknown) => {
    const metrics = new FakeMetrics();
    const ownership = new FakeOwnership();
    ownership.set('active', 'a');
    let calls = 0;
    running = new RunningController(
      {
        reconciler: async () => {
          calls += 1;
          if (calls === 1) throw error;
        },
      },
      { metrics, ownership },
    );
    return { metrics, member: await running.engage('a', 'x') };
  };

  it.each<[string, unknown]>([
    ['the error', OWN],
    ['an error that it caused', new Error('cannot scale', { cause: new Error('patch failed', { cause: OWN }) })],
    ['a terminal error that it caused', new TerminalError('cannot scale', { cause: OWN })],
    ['several of them', new AggregateError([OWN, new Error('second', { cause: OWN })], 'two writes failed')],
  ])('SH-4: %s does not count as a failure, and its request waits for its turn', async (_, error) => {
    const { metrics } = await startWith(error);
    expect([results(), linesOf('error'), linesOf('debug').length]).toEqual([[], [], 1]);
    expect([running.seen, metrics.ended]).toEqual([['a/x'], [undefined]]);
    await running.advance(5);
    expect(running.seen).toEqual(['a/x', 'a/x']);
    expect(results()).toEqual(['success']);
  });

  it('SH-4: its request is dropped when the cluster is disengaged, because the next owner reconciles it', async () => {
    const { member } = await startWith(OWN);
    member.leave();
    await running.advance(1_000_000);
    expect([running.seen, results()]).toEqual([['a/x'], []]);
  });

  it.each<[string, unknown]>([
    ['of another cluster', OTHER],
    ['of another cluster, as a cause', new Error('cannot copy', { cause: OTHER })],
    ['besides another error', new AggregateError([OWN, new Error('invalid')], 'two writes failed')],
    ['besides one of another cluster', new AggregateError([OWN, OTHER], 'two writes failed')],
  ])('SH-4: an error %s is an ordinary error, and is retried', async (_, error) => {
    await startWith(error);
    expect([results(), linesOf('error').length]).toEqual([['error'], 1]);
    await running.advance(5);
    expect(results()).toEqual(['error', 'success']);
  });
});
