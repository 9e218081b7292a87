import { describe, expect, it } from '@jest/globals';
import { envtestProgram } from './envtest-program.ts';

/** Returns the command with its arguments. */
async function parsed(argv: readonly string[]): Promise<unknown> {
  let call: unknown;
  const program = envtestProgram({
    up: async (options) => void (call = { up: options }),
    assets: async (directory) => void (call = { assets: directory }),
  });
  for (const command of [program, ...program.commands]) command.configureOutput({ writeErr: () => undefined });
  await program.parseAsync(argv, { from: 'user' });
  return call;
}

describe('arguments of mcr-envtest', () => {
  it('K-31: parses flags with an equals sign or a space, and has defaults', async () => {
    expect(await parsed(['up'])).toEqual({ up: { members: 3 } });
    const flags = ['--members=1', '--crds', 'a', '--crds=b', '--load', 'c', '--port', '9000', '--dir', 'd', '--json'];
    expect(await parsed(['up', ...flags])).toEqual({
      up: { members: 1, crds: ['a', 'b'], load: ['c'], port: 9000, dir: 'd', json: true },
    });
    expect(await parsed(['assets', 'bin'])).toEqual({ assets: 'bin' });
  });

  it.each([
    [['upp'], "unknown command 'upp'\n(Did you mean up?)"],
    [['serve'], "unknown command 'serve'"],
    [['up', '--member', '2'], "unknown option '--member'\n(Did you mean --members?)"],
    [['up', '--laod=x'], "unknown option '--laod=x'\n(Did you mean --load?)"],
    [['up', '--verbose'], "unknown option '--verbose'"],
    [['up', 'now'], "too many arguments for 'up'. Expected 0 arguments but got 1"],
    [['up', '--members', 'two'], "'--members <n>' argument 'two' is invalid. expected a whole number from 0 to 1000"],
    [['up', '--members=1e1'], "'--members <n>' argument '1e1' is invalid. expected a whole number from 0 to 1000"],
    [['up', '--port', '65535'], "'--port <n>' must be at most 65532 with 3 members"],
    [['up', '--crds'], "option '--crds <path>' argument missing"],
    [['up', '--crds', '--json'], "option '--crds <path>' argument '--json' is invalid. expected a value"],
    [['up', '--json=yes'], "unknown option '--json=yes'"],
    [['assets'], "missing required argument 'dir'"],
    [['assets', '--hlep'], "unknown option '--hlep'\n(Did you mean --help?)"],
    [['assets', 'a', 'b'], "too many arguments for 'assets'. Expected 1 argument but got 2"],
  ])('K-31: refuses %j', async (argv, message) => {
    await expect(parsed(argv)).rejects.toThrow(message);
  });
});
