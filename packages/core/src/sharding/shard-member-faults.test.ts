import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES } from './membership/rules.ts';
import { Random } from './membership/simulation/random.fixture.ts';
import type { ShardReplica } from './shard-group.fixture.ts';
import { ShardScene } from './shard-group.fixture.ts';

const { leaseDuration, margin, drainTimeout } = DEFAULT_RULES;
/** Time in which faults occur, in milliseconds. */
const FAULTS = 90_000;
/** Number of schedules. */
const SEEDS = 30;

function heal(replica: ShardReplica): void {
  replica.isCutOff = false;
  replica.losesAnswers = false;
  replica.clock.resume();
}

describe('ShardMember under faults', () => {
  let scene: ShardScene;
  /** The replicas that were not killed. */
  let running: ShardReplica[];
  beforeEach(() => {
    scene = new ShardScene();
    running = ['a', 'b', 'c'].map((replicaId) => scene.start(replicaId));
  });
  afterEach(() => scene.end());

  async function fault(random: Random): Promise<void> {
    const replica = random.pick(running);
    if (!replica) return;
    switch (random.pick(['pause', 'cut off', 'lose answers', 'restart', 'heal', 'heal'])) {
      case 'pause':
        replica.clock.pause();
        break;
      case 'cut off':
        replica.isCutOff = true;
        break;
      case 'lose answers':
        replica.losesAnswers = true;
        break;
      case 'restart':
        await replica.crash();
        running[running.indexOf(replica)] = scene.start(replica.member.status().replica);
        break;
      default:
        heal(replica);
    }
  }

  for (let seed = 1; seed <= SEEDS; seed++) {
    it(`SH-2, SH-3: no slot has two writers at any time, and each has one again after the last fault (seed ${seed})`, async () => {
      const random = new Random(seed);
      while (scene.clock.now() < FAULTS) {
        // Throws if two replicas may write to a slot.
        await scene.advance(Math.ceil(random.between(0, 120)) * 50);
        await fault(random);
      }
      running.forEach(heal);
      await scene.advance(leaseDuration + margin + drainTimeout + 3_000);
      expect(scene.isServed).toBe(true);
      await scene.end();
      expect(scene.clock.pendingTimers).toBe(0);
    });
  }
});
