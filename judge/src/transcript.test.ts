import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '@mcr/envtest';
import { Duel } from './duel.ts';
import { replay } from './replay.ts';
import { describeGroup } from './report.ts';
import { readTranscript } from './transcript.ts';

/** Number of groups of differences that the report describes. */
const SHOWN = 10;

/** Deadline of the replay on a busy machine, in milliseconds. */
const DEADLINE = 300_000;

describe('the answers of kube-apiserver v1.35.4 to thousands of random operations', () => {
  it(
    'K-2 to K-4, K-8, K-10 to K-21, K-23 to K-25, K-28: the embedded server gives the same answers',
    async () => {
      const transcript = await readTranscript();
      await using controlPlane = await createControlPlane({ backend: 'embedded' });
      using duel = new Duel([controlPlane.config]);
      await duel.prepare();
      const { count, groups } = await replay(duel, transcript);
      const report = groups.slice(0, SHOWN).map(describeGroup).join('\n');
      expect(count === 0 ? '' : `${count} operations of ${transcript.length} differ:\n${report}`).toBe('');
    },
    DEADLINE,
  );
});
