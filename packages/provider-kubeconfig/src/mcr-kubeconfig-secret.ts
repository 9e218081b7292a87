#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { loadKubeconfig } from '@mcr/core';
import { similarText, terminalText } from '@mcr/core/provider';
import { giveAccess, SHORTEST_LIFETIME } from './member-access.ts';
import { readRules } from './member-rules.ts';
import { nameProblem } from './secret-name.ts';
import { withDefaults } from './options.ts';
import type { AccessStep } from './steps.ts';

const USAGE = `usage: mcr-kubeconfig-secret --namespace <namespace> [--name <name>] [--context <context>] [options]

Creates a ServiceAccount in a member, with a role and a token, and the Secret in the hub that adds the member to the fleet.
A second run changes only what differs from the options. It prints no credential.

  --namespace <namespace>   namespace of the Secret in the hub, and of the ServiceAccount in the member
  --name <name>             name of the Secret and of the cluster; default: the value of --context
  --rules <file>            permissions of the ServiceAccount, in YAML: a list of RBAC rules, or a Role or ClusterRole
                            with such rules; default: rules.yaml in the working directory
  --kubeconfig <file>       kubeconfig of the member; default: $KUBECONFIG, else ~/.kube/config
  --context <context>       context of the member; default: the current context
  --hub-kubeconfig <file>   kubeconfig of the hub; default: that of the member
  --hub-context <context>   context of the hub; default: the current context
  --token-lifetime <time>   lifetime of the token in seconds, at least 600; each run issues a new token. Default: a token
                            that does not expire, kept in a Secret in the member
  --dry-run                 write nothing, and print what would change
  --json                    print one JSON object per line; default: a line of text
  -h, --help                print this text
`;

/** The arguments are invalid. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const values = options();
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const { namespace, kubeconfig, context, name = context } = values;
  if (!namespace || !name) throw new UsageError('--namespace is missing, or both --name and --context: pass them');
  checkName(name);
  const tokenLifetime = lifetimeOf(values['token-lifetime']);
  const rules = rulesIn(values.rules ?? 'rules.yaml');
  const isDryRun = values['dry-run'] ?? false;
  const { secretLabel, secretKey } = withDefaults({ namespace });
  const member = load(kubeconfig, context);
  const hub = load(values['hub-kubeconfig'] ?? kubeconfig, values['hub-context']);
  const onStep = (step: AccessStep) => print(step, { json: values.json ?? false, isDryRun });
  const onWait = (secret: string, atMost: number) =>
    process.stderr.write(
      `waiting up to ${atMost / 1_000} s for the member to write a token to Secret ${terminalText(secret)}\n`,
    );
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  const access = { member, hub, namespace, name, secretLabel, secretKey, rules, isDryRun, onStep, onWait };
  await giveAccess({ ...access, ...(tokenLifetime !== undefined && { tokenLifetime }) }, end.signal);
}

function load(path: string | undefined, context: string | undefined) {
  return loadKubeconfig({ ...(path !== undefined && { path }), ...(context !== undefined && { context }) });
}

/** Checks the name before the first write: the hub would refuse it only after the member was changed. */
function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new UsageError(`--name (default: --context): ${problem}`);
}

function lifetimeOf(text: string | undefined): number | undefined {
  const seconds = text === undefined ? undefined : Number(text);
  if (seconds === undefined || (Number.isInteger(seconds) && seconds >= SHORTEST_LIFETIME)) return seconds;
  throw new UsageError(
    `--token-lifetime: expected seconds, at least ${SHORTEST_LIFETIME}, found ${JSON.stringify(text)}`,
  );
}

const OPTIONS = {
  namespace: { type: 'string' },
  name: { type: 'string' },
  rules: { type: 'string' },
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  'hub-kubeconfig': { type: 'string' },
  'hub-context': { type: 'string' },
  'token-lifetime': { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function options() {
  const args = process.argv.slice(2);
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}${suggestionFor(args)}`);
  }
}

/** Names the flag that the first unknown one was probably meant to be. */
function suggestionFor(args: readonly string[]): string {
  const names = Object.keys(OPTIONS).map((name) => `--${name}`);
  const flags = args.filter((argument) => argument.startsWith('--')).map((argument) => argument.split('=')[0] ?? '');
  const unknown = flags.find((flag) => !names.includes(flag));
  const similar = unknown === undefined ? undefined : similarText(unknown, names);
  return similar === undefined ? '' : `\n(Did you mean ${similar}?)`;
}

function rulesIn(file: string) {
  try {
    return readRules(file);
  } catch (error) {
    throw new UsageError(`--rules ${file}: ${(error as Error).message}`);
  }
}

function print(step: AccessStep, { json, isDryRun }: { readonly json: boolean; readonly isDryRun: boolean }): void {
  const { cluster, kind, object, result } = step;
  const text = isDryRun && result !== 'unchanged' ? `would be ${result}` : result;
  const line = json ? JSON.stringify({ ...step, isDryRun }) : `${cluster}: ${kind} ${object} ${text}`;
  process.stdout.write(`${terminalText(line)}\n`);
}

try {
  await main();
} catch (error) {
  // Messages of the YAML parser have several lines.
  const message = (error as Error).message.split('\n').map(terminalText).join('\n');
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${USAGE}` : `mcr-kubeconfig-secret: ${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
