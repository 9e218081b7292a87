import type { CaseDescription } from '../case.ts';
import { RandomWalk } from '../random-walk.ts';

/** One case for each seed. */
export function randomCases(seeds: readonly number[]): CaseDescription[] {
  return seeds.map((seed) => ({
    id: 'PV-2',
    title: `engages what the inventory says whenever there is quiet, whatever happened (MCR_SEED=${seed} replays this)`,
    async play(stage) {
      const walk = new RandomWalk(stage, seed);
      try {
        await walk.play();
      } catch (error) {
        const { message } = error as Error;
        throw new Error(`${message}\nseed:     ${seed}, after\n  ${walk.story.join('\n  ')}`, { cause: error });
      }
    },
  }));
}
