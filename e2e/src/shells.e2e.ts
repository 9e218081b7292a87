import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from '@mcr/core/testing';
import { HAS_TERMINAL, Terminal } from '../../packages/cli/src/command/terminal.fixture.ts';
import { type Shell, SHELLS } from '../../packages/cli/src/completion/shell-script.ts';

/** Names of contexts. Shells must quote one of them, and must not run it. */
const CONTEXTS = ['arn:aws:eks:eu-1:12:cluster/prod', 'my $(touch run) context', 'test'];
/** Shown before each command line. */
const PROMPT = 'ready>';

/** How a shell starts on a terminal. */
const START: Readonly<Record<Shell, string>> = {
  bash: 'bash --noprofile --rcfile bashrc -i',
  zsh: 'zsh -i',
  fish: `fish --no-config --init-command 'function fish_prompt; echo -n "${PROMPT}"; end; function fish_greeting; end; mcr completion fish | source'`,
};

describe('completion in shells', () => {
  let directory: string;
  let env: NodeJS.ProcessEnv;
  let manager: Server;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-shells-'));
    const program = join(import.meta.dirname, '../../packages/cli/src/mcr.ts');
    const node = `'${process.execPath}' --conditions=@mcr/source --disable-warning=ExperimentalWarning`;
    await writeFile(
      join(directory, 'mcr'),
      // Completes as mcr does; any other command line writes its arguments to a file.
      `#!/bin/sh
case "$1" in
  __complete | completion) exec ${node} '${program}' "$@" ;;
  *) { printf '%s\\t' "$@"; echo; } >>lines ;;
esac
`,
    );
    await chmod(join(directory, 'mcr'), 0o755);
    await writeFile(join(directory, 'bashrc'), `PS1='${PROMPT}'\nsource <(mcr completion bash)\n`);
    await writeFile(
      join(directory, '.zshrc'),
      `PS1='${PROMPT}'\nautoload -Uz compinit && compinit -u -D\nsource <(mcr completion zsh)\n`,
    );
    const contexts = CONTEXTS.map((name) => ({ name, context: { cluster: 'a', user: 'a' } }));
    const kubeconfig = JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', contexts },
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1' } }],
      users: [{ name: 'a', user: { token: 'a' } }],
    });
    await mkdir(join(directory, 'files'));
    for (const file of ['config', 'files/unique.kubeconfig']) await writeFile(join(directory, file), kubeconfig);
    const clusters = ['eu-1', 'us-1'].map((name) => ({
      ...{
        name,
        phase: 'Engaged',
        since: 0,
        reason: '',
        sources: {},
        objects: 0,
        reconciles: 0,
        errors: 0,
        history: [],
      },
    }));
    manager = createServer((_, response) => response.end(JSON.stringify({ clusters })));
    await once(manager.listen(0, '127.0.0.1'), 'listening');
    env = {
      ...{ ...process.env, PATH: `${directory}${delimiter}${process.env['PATH']}`, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
      ...{ KUBECONFIG: join(directory, 'config'), ZDOTDIR: directory, HOME: directory, XDG_CONFIG_HOME: directory },
    };
  });
  afterAll(async () => {
    manager.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** Types lines with tabs in a shell on a terminal. @returns the arguments that mcr received, by line. */
  async function typed(shell: Shell, lines: readonly string[]): Promise<readonly (readonly string[])[]> {
    await rm(join(directory, 'lines'), { force: true });
    const received = async (): Promise<readonly string[]> =>
      (await readFile(join(directory, 'lines'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
    await using terminal = new Terminal(START[shell], { env, cwd: directory });
    await eventually(() => expect(terminal.shown).toContain(PROMPT), { deadline: 30_000 });
    for (const [at, line] of lines.entries()) {
      terminal.type(`${line}\r`);
      await eventually(async () => expect(await received()).toHaveLength(at + 1), { deadline: 30_000 });
    }
    return (await received()).map((line) => line.split('\t').slice(0, -1));
  }

  for (const shell of SHELLS) {
    const isInstalled = spawnSync(shell, ['--version']).status === 0;
    if (!isInstalled || !HAS_TERMINAL) {
      it.skip(`needs ${shell}, and script of util-linux`, () => undefined);
      continue;
    }

    it(`WB-5: ${shell} completes commands, flags, values, contexts, clusters and files on a terminal`, async () => {
      const { port } = manager.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const lines = [
        ['mcr fle\tdesc\teu-1', 'fleet describe eu-1'],
        ['mcr fleet -n a des\teu-1', 'fleet -n a describe eu-1'],
        ['mcr fleet list --no-h\t', 'fleet list --no-headers'],
        ['mcr fleet list --output y\t', 'fleet list --output yaml'],
        ['mcr fleet list --output=y\t', 'fleet list --output=yaml'],
        ['mcr fleet list --phase Unr\t', 'fleet list --phase Unreachable'],
        [`mcr fleet describe --url ${url} e\t`, `fleet describe --url ${url} eu-1`],
        ['mcr fleet check --context te\t', 'fleet check --context test'],
        ['mcr fleet check --context arn:aws:e\t', `fleet check --context ${CONTEXTS[0]}`],
        ['mcr fleet check --context=ar\t', `fleet check --context=${CONTEXTS[0]}`],
        ['mcr fleet check --kubeconfig files/un\t', 'fleet check --kubeconfig files/unique.kubeconfig'],
      ] as const;
      const received = await typed(
        shell,
        lines.map(([line]) => line),
      );
      expect(received.map((args) => args.join(' '))).toEqual(lines.map(([, args]) => args));
    });

    it(`WB-5: ${shell} quotes names from a kubeconfig, and runs nothing in them`, async () => {
      const received = await typed(shell, ['mcr fleet check --context my\t']);
      expect(received).toEqual([['fleet', 'check', '--context', CONTEXTS[1]]]);
      await expect(readFile(join(directory, 'run'))).rejects.toThrow('ENOENT');
    });
  }
});
