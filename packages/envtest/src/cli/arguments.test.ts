import { describe, expect, it } from '@jest/globals';
import { parseArguments } from './arguments.ts';

describe('arguments of mcr-envtest', () => {
  it('K-31: parses flags with an equals sign or a space, and has defaults', () => {
    expect(parseArguments(['up'])).toEqual({ command: 'up', members: 3, crds: [], load: [], json: false });
    const flags = ['--members=1', '--crds', 'a', '--crds=b', '--load', 'c', '--port', '9000', '--dir', 'd', '--json'];
    expect(parseArguments(['up', ...flags])).toEqual({
      ...{ command: 'up', members: 1, crds: ['a', 'b'], load: ['c'], port: 9000, directory: 'd', json: true },
    });
    expect(parseArguments(['assets', 'bin'])).toEqual({ command: 'assets', directory: 'bin' });
    expect(parseArguments(['up', '--help'])).toEqual({ command: 'help', about: 'up' });
    expect(parseArguments([])).toEqual({ command: 'help' });
  });

  it.each([
    [['upp'], 'upp: unknown command: use up'],
    [['serve'], 'serve: unknown command: use up, assets'],
    [['up', '--member', '2'], '--member: unknown flag: use --members'],
    [['up', '--laod=x'], '--laod: unknown flag: use --load'],
    [['up', '--verbose'], '--verbose: unknown flag: use --members, --crds, --load'],
    [['up', 'now'], 'now: unexpected argument: up takes flags only'],
    [['up', '--members', 'two'], '--members: expected a whole number from 0 to 1000, found "two"'],
    [['up', '--members=1e1'], '--members: expected a whole number from 0 to 1000, found "1e1"'],
    [['up', '--port', '65535'], '--port: expected a whole number from 1 to 65532, found "65535"'],
    [['up', '--crds'], '--crds: expected a value'],
    [['up', '--crds', '--json'], '--crds: expected a value'],
    [['up', '--json=yes'], '--json: takes no value'],
    [['assets'], 'assets: expected the directory to write to'],
    [['assets', '--hlep'], '--hlep: unknown flag: use --help'],
    [['assets', 'a', 'b'], 'b: unexpected argument: assets takes one directory'],
  ])('K-31: refuses %j', (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(message);
  });
});
