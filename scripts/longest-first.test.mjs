import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Sequencer, { LONG_SUITES } from './longest-first.mjs';
import { root } from './published-packages.mjs';

describe('the order of suites', () => {
  const orderOf = (recorded, paths) => {
    const sequencer = new Sequencer({});
    sequencer.time = ({ path }) => recorded[path];
    sequencer.hasFailed = () => false;
    const context = { hasteFS: { getSize: (path) => path.length } };
    return sequencer.sort(paths.map((path) => ({ path, context }))).map(({ path }) => path);
  };

  it.each(LONG_SUITES)('knows %s, which exists', (suite) => {
    expect(existsSync(join(root, suite))).toBe(true);
  });

  it('starts the longest suites first in a fresh clone, and the others by the sizes of their files', () => {
    const [longest, second] = LONG_SUITES.map((suite) => `/clone/${suite}`);
    const small = '/clone/a.test.ts';
    const large = `/clone/${'b'.repeat(200)}.test.ts`;
    expect(orderOf({}, [small, second, large, longest])).toEqual([longest, second, large, small]);
  });

  it('starts suites by the durations that this clone has recorded', () => {
    const [longest] = LONG_SUITES.map((suite) => `/clone/${suite}`);
    expect(orderOf({ [longest]: 1, '/clone/a.test.ts': 2 }, [longest, '/clone/a.test.ts'])).toEqual([
      '/clone/a.test.ts',
      longest,
    ]);
  });
});
