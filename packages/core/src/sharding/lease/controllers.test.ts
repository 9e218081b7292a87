import { describe, expect, it } from '@jest/globals';
import { controllersProblem } from './controllers.ts';

describe('the controllers in a plan', () => {
  const problemOf = (own: readonly string[], found: readonly string[]) =>
    controllersProblem(
      'copier-plan',
      { name: 'copier', namespace: 'fleet', slots: 16, controllers: new Set(own) },
      found,
    );

  it('SH-14: are those of the same program if one is in common, or if either side has none', () => {
    expect(problemOf(['copier cluster', 'new uid'], ['copier cluster', 'old uid'])).toBeUndefined();
    expect(problemOf([], ['old uid'])).toBeUndefined();
    expect(problemOf(['new uid'], [])).toBeUndefined();
  });

  it('SH-14: are those of another program if none is in common', () => {
    expect(problemOf(['backup cluster'], ['copier uid', 'cleaner cluster'])).toMatch(
      /^lease fleet\/copier-plan belongs to replicas with other controllers \("copier", "cleaner"\) than this one \("backup"\), .*choose another sharding.name/u,
    );
  });

  it('SH-10: contradict those of a version that divides the same controller differently', () => {
    expect(problemOf(['copier uid', 'cleaner cluster'], ['copier cluster', 'cleaner cluster'])).toBe(
      'lease fleet/copier-plan divides the requests of controller "copier" by cluster, and this replica by uid, ' +
        'so that two replicas could reconcile one object: scale the Deployment to zero for this change',
    );
    expect(problemOf(['copier namespace'], ['copier uid'])).toContain('by uid, and this replica by namespace');
  });

  it('SH-10: are compared by their shortened names', () => {
    const name = 'x'.repeat(200);
    expect(problemOf([`${name} uid`], [`${name.slice(0, 63)} uid`])).toBeUndefined();
    expect(problemOf([`${name} uid`], [`${name.slice(0, 63)} cluster`])).toContain(
      'by cluster, and this replica by uid',
    );
  });
});
