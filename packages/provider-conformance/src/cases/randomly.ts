import type { CaseDescription } from '../case.ts';
import { RandomWalk } from '../random-walk.ts';

/** Returns one case for each seed. */
export function randomCases(seeds: readonly number[]): CaseDescription[] {
  return seeds.map((seed) => ({
    id: 'PV-2',
    title: `engages the clusters of the inventory after each round of random changes (MCR_SEED=${seed} replays this)`,
    async play(stage) {
      const walk = new RandomWalk(stage, seed);
      try {
        await walk.play();
      } catch (error) {
        const { message } = error as Error;
        throw new Error(`${message}\nseed:     ${seed}, after\n  ${walk.steps.join('\n  ')}`, { cause: error });
      }
    },
  }));
}
