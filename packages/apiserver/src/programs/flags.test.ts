import { describe, expect, it } from '@jest/globals';
import { FlagError, parseFlags } from './flags.ts';

const NAMES = { valued: ['secure-port'], switches: ['allow-privileged'] };

describe('flags', () => {
  it('K-31: accepts underscores between the words of a name', () => {
    const flags = parseFlags(['--allow_privileged', '--secure_port=1'], NAMES);
    expect([...flags]).toEqual([
      ['allow-privileged', ['true']],
      ['secure-port', ['1']],
    ]);
    expect(() => parseFlags(['--other_flag'], NAMES)).toThrow(FlagError);
  });
});
