import { describe, expect, it } from '@jest/globals';
import {
  argumentsProblem,
  checkAllowedCommands,
  matchesValue,
  type AllowedArgument,
  type AllowedCommand,
} from './allowed-command.ts';

describe('checkAllowedCommands', () => {
  it.each([
    'aws',
    'gcloud',
    'kubectl',
    'az',
    'doctl',
    'oci',
    'ibmcloud',
    'helm',
    'git',
    'ssh',
    'curl',
    'sh',
    'env',
    'sudo',
  ])('S-12: refuses %s if its arguments are not pinned', (command) => {
    for (const entry of [command, { command }]) {
      expect(() => checkAllowedCommands([{ command: 'x', args: [] }, entry])).toThrow(
        `allowedCommands[1]: does not pin the arguments of ${command}, so a kubeconfig could make it run other programs`,
      );
    }
  });

  it.each([
    'sh',
    '/bin/bash',
    'python3.12',
    'node',
    'env',
    '/usr/bin/sudo',
    'find',
    'xargs',
    'git',
    'ssh',
    'curl',
    'PowerShell.exe',
    'stdbuf',
    'flock',
    'expect',
    'strace',
    'ionice',
    'taskset',
    'script',
    'systemd-run',
    'rbash',
    'ksh93',
    'tsx',
    'kubectl',
    'bash-5.1',
    'zsh-5.9',
    'python3',
    'kubectl1.35',
    'setsid',
    'unshare',
    'nsenter',
    'chroot',
    'runuser',
    'su',
    'doas',
    'ltrace',
    'gdb',
    'perf',
    'watch',
    'parallel',
    'busybox',
    'make',
    'docker',
    'podman',
    'nerdctl',
    'crictl',
  ])('S-12: refuses patterns among the arguments of %s, and accepts exact arguments', (command) => {
    expect(() => checkAllowedCommands([{ command, args: ['x', { optional: ['-c', { pattern: '[a-z]+' }] }] }])).toThrow(
      'allowedCommands[0]: is a program that can run other programs named in its arguments, so no argument may be a pattern',
    );
    expect(() => checkAllowedCommands([{ command, args: ['/opt/plugin', { optional: ['-v'] }] }])).not.toThrow();
  });

  it.each(['.*', '.+', '[^]*', '\\S+', '[^ ]+', '.*|x', '(?:.)+'])(
    'S-12: refuses the pattern %s, which accepts any text',
    (pattern) => {
      for (const entry of [
        { command: 'aws', args: [{ pattern }] },
        { command: 'aws', args: ['x', { optional: [{ pattern }] }] },
        { command: 'aws', args: [], env: { AWS_REGION: { pattern } } },
      ]) {
        expect(() => checkAllowedCommands([entry])).toThrow(/pattern: accepts paths, URLs and any other text/);
      }
    },
  );

  it.each([
    [{ command: 'aws', args: [{ pattern: '(' }] }, 'allowedCommands[0].args.0.pattern: is not a regular expression'],
    [
      { command: 'aws', args: [{ pattern: 'a)|(?:.' }] },
      'allowedCommands[0].args.0.pattern: is not a regular expression',
    ],
    [{ command: '', args: [] }, 'allowedCommands[0].command: expected the name or the absolute path'],
    [{ command: 'aws', args: [], env: { 'A=B': 'x' } }, 'allowedCommands[0].env.A=B: has a key that is not valid'],
    [{ command: 'aws', args: [/x/] }, 'allowedCommands[0].args.0.pattern: expected a string'],
    [{ command: 'aws', args: [], arg: [] }, 'allowedCommands[0]: unknown option "arg": use only command, args, env,'],
  ])('refuses %j', (entry, problem) => {
    expect(() => checkAllowedCommands([entry])).toThrow(problem);
  });
});

describe('an allowed command', () => {
  const allowed: AllowedArgument[] = [
    'eks',
    { optional: ['--region', { pattern: '[a-z\\d-]+' }] },
    'get-token',
    { pattern: '[a-z\\d-]+' },
    { optional: ['--output'] },
    { optional: ['--output', 'json'] },
  ];

  it.each([
    ['eks get-token a'],
    ['eks --region eu-1 get-token a'],
    ['eks get-token a --output'],
    ['eks get-token a --output json'],
    ['eks get-token a --output --output json'],
  ])('S-12: accepts %s', (line) => expect(argumentsProblem(line.split(' '), allowed)).toBeUndefined());

  it.each([
    ['', '[0] is not allowed at this position'],
    ['eks', 'is missing an argument'],
    ['eks get-token', 'is missing an argument'],
    ['configure set default.credential_process x', '[0] is not'],
    ['eks get-token -a', '[2] is not'],
    ['eks get-token a b', '[3] is not'],
    ['eks get-token a\nb', '[2] is not'],
    ['eks get-token A', '[2] is not'],
    ['eks --region --endpoint-url get-token a', '[2] is not'],
    ['eks --region eu-1 --region eu-2 get-token a', '[3] is not'],
    ['eks get-token a --output json --debug', '[5] is not'],
  ])('S-12: refuses %j', (line, problem) => {
    expect(argumentsProblem(line.split(' '), allowed)).toContain(problem);
  });

  it('S-12: matches an option only with a pattern that starts with a dash', () => {
    expect(argumentsProblem(['--name=a'], [{ pattern: '--name=[a-z]+' }])).toBeUndefined();
    expect(argumentsProblem(['--name=a'], [{ pattern: '[a-z=-]+' }])).toMatch('[0] is not allowed');
  });

  it('S-12: anchors patterns, and does not match values of more than 4,096 characters', () => {
    expect(matchesValue('a', { pattern: 'a|b' })).toBe(true);
    for (const text of ['xa', 'ax', 'xb', 'bx', 'a\n', '\na', 'ab'])
      expect(matchesValue(text, { pattern: 'a|b' })).toBe(false);
    expect(matchesValue('a'.repeat(4096), { pattern: 'a+' })).toBe(true);
    expect(matchesValue('a'.repeat(4097), { pattern: 'a+' })).toBe(false);
  });

  it('S-12: takes linear time when optional arguments can match in many ways', () => {
    const many: AllowedCommand['args'] = Array.from({ length: 200 }, () => ({ optional: [{ pattern: 'a' }] }));
    expect(argumentsProblem(Array<string>(150).fill('a'), many)).toBeUndefined();
    expect(argumentsProblem([...Array<string>(150).fill('a'), 'b'], many)).toContain('[150] is not');
  });
});
