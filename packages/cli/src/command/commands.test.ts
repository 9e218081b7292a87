import { describe, expect, it } from '@jest/globals';
import { commandOf } from './commands.ts';
import { flagsHelp, parseFlags } from './flags.ts';

const FLAGS = [
  { name: '--out', value: 'DIR', about: 'directory' },
  { name: '--crd', value: 'PATH', isRepeatable: true, about: 'file' },
  { name: '--check', about: 'write nothing' },
];

async function outputOf(argv: readonly string[]): Promise<string> {
  let text = '';
  const print = (part: string): void => void (text += part);
  const { signal } = new AbortController();
  expect(await commandOf(argv)({ print, warn: print, signal })).toBe(true);
  return text;
}

describe('arguments of mcr', () => {
  it('WB-4: parses flags with an equals sign or a space', () => {
    const values = parseFlags('types', FLAGS, ['--crd', 'a', '--crd=b', '--out=c=d', '--check']);
    expect(Object.fromEntries(values)).toEqual({ '--crd': ['a', 'b'], '--out': ['c=d'], '--check': [''] });
  });

  it('WB-4: aligns the help of flags, and names repeatable ones', () => {
    expect(flagsHelp(FLAGS)).toBe(
      [
        '--out DIR   directory',
        '--crd PATH  file; repeatable',
        '--check     write nothing',
        '--help      print this text',
      ]
        .map((line) => `  ${line}\n`)
        .join(''),
    );
  });

  it('WB-4: prints the help of the program, of a group, and of a command', async () => {
    for (const argv of [[], ['--help'], ['-h'], ['help']]) {
      expect(await outputOf(argv)).toMatch(/^Usage:\n {2}mcr types +write .*\n {2}mcr webhooks remove +remove /m);
    }
    expect(await outputOf(['webhooks', '--help'])).not.toContain('mcr types');
    const help = await outputOf(['webhooks', 'remove', '--name', 'a', '--help']);
    expect(help).toContain('--timeout SECONDS  deadline for each cluster (default: 30)');
    expect(help).toContain('Exit codes: 0 for success');
  });

  it.each([
    [['type'], 'type: unknown command: use types'],
    [['serve'], 'serve: unknown command: use types, webhooks remove'],
    [['webhooks'], 'webhooks: incomplete command: use webhooks remove'],
    [['types', '--cdr', 'a'], '--cdr: unknown flag: use --crd'],
    [['types', '--verbose'], '--verbose: unknown flag: use --crd, --context'],
    [['types', 'a.yaml'], 'a.yaml: unexpected argument: types takes flags only'],
    [['types', '--crd'], '--crd: expected a value: --crd PATH'],
    [['types', '--crd', '--check'], '--crd: expected a value: --crd PATH'],
    [['types', '--check=yes', '--crd', 'a', '--out', 'b'], '--check: takes no value'],
    [['types', '--out', 'a', '--out', 'b'], '--out: is given twice: remove one'],
    [['types', '--out', 'a'], 'types: expected --crd PATH or --context NAME'],
    [['types', '--crd', 'a'], 'types: expected --out DIR'],
    [['types', '--crd', 'a', '--out', 'b', '--kubeconfig', 'c'], '--kubeconfig: needs --context NAME'],
    [['webhooks', 'remove'], 'webhooks remove: expected --name NAME, or --all'],
    [['webhooks', 'remove', '--all', '--context', 'a', '--all-contexts'], '--all-contexts: excludes --context'],
  ])('WB-4: refuses %j', (argv, message) => {
    expect(() => commandOf(argv)).toThrow(message);
  });
});
