import { describe, expect, it } from '@jest/globals';
import { comparison, resultsIn } from './compare-benchmarks.mjs';

const result = (id, value, met = true) => ({ id, value, unit: 'ms', goal: '≤ 10 ms', met });

describe('the report of the benchmarks', () => {
  it('compares each result with the last run, and marks what changed much', () => {
    const last = [result('P-1', 4), result('P-2', 4), result('P-9', 1)];
    expect(comparison([result('P-1', 4.2), result('P-2', 12, false), result('P-3', null, false)], last)).toBe(
      [
        '| id | last | now | change | goal |',
        '| --- | --- | --- | --- | --- |',
        '| P-1 | 4 ms | 4.2 ms | +5 % | ≤ 10 ms |',
        '| P-2 | 4 ms | 12 ms | **+200 %** | **not met**: ≤ 10 ms |',
        '| P-3 | – | – | – | **not met**: ≤ 10 ms |',
        '',
        'Not run any more: P-9',
        '',
      ].join('\n'),
    );
  });

  it('says that there is no earlier run', () => {
    expect(comparison([result('P-1', 4)], undefined)).toMatch(
      /^There is no earlier run[^]*\| P-1 \| – \| 4 ms \| – \|/,
    );
  });

  it('reads lines of JSON among others', () => {
    expect(resultsIn('> bench\n{"id":"P-1"}\n\n{"id":"P-2"}\n')).toEqual([{ id: 'P-1' }, { id: 'P-2' }]);
  });
});
