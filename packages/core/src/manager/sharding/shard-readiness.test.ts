import { describe, expect, it } from '@jest/globals';
import { FakeSharding } from './fake-sharding.fixture.ts';
import { checkShardReadiness } from './shard-readiness.ts';

describe('checkShardReadiness', () => {
  const check = (reported: FakeSharding['reported']) => {
    const sharding = new FakeSharding();
    sharding.reported = reported;
    return () => checkShardReadiness(sharding.status());
  };

  it('SH-18: a replica is ready when it may write and has acknowledged the current plan', () => {
    expect(check({})).not.toThrow();
  });

  it('SH-18: a replica that owns nothing is ready', () => {
    expect(check({ held: { active: 0, warming: 0, draining: 0 } })).not.toThrow();
  });

  it('SH-18: a replica is not ready before it has joined its group', () => {
    expect(check({ fence: 'closed', epoch: 0 })).toThrow('this replica has not joined its group yet');
  });

  it('SH-11: a replica that may not write is not ready, and says why', () => {
    expect(check({ fence: 'closed', problem: 'the hub did not answer' })).toThrow('the hub did not answer');
  });

  it('SH-18: a replica is not ready before it has acknowledged the current plan', () => {
    expect(check({ isCurrent: false })).toThrow('has not acknowledged the current plan: it acts on plan 3');
  });

  it('SH-18: a replica is not ready before the plan names it, so that no other is stopped too early', () => {
    expect(check({ isMember: false })).toThrow('the plan does not name this replica yet');
  });

  it('SH-11: a replica that is not ready names the problem first', () => {
    const problem = 'the hub does not answer: hub:443: connection refused';
    for (const reported of [{ isCurrent: false }, { isMember: false }])
      expect(check({ ...reported, problem })).toThrow(problem);
    expect(check({ problem })).not.toThrow();
  });
});
