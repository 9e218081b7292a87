#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadKubeconfig } from '@mcr/core';
import { terminalText } from '@mcr/core/provider';
import { parse } from 'yaml';
import { z } from 'zod';
import type { AccessStep } from './member-access.ts';
import { giveAccess } from './member-access.ts';
import { withDefaults } from './options.ts';

const USAGE = `usage: mcr-kubeconfig-secret --namespace <namespace> [--name <name>] [--context <context>] [options]

Makes a ServiceAccount in a member, with a role and a token, and the Secret in the hub that makes the member a cluster of
the fleet. Running it again changes only what differs from the options. It prints no credential.

  --namespace <namespace>   of the Secret in the hub, and of the ServiceAccount in the member
  --name <name>             of the Secret, and of the cluster in the fleet; default: the value of --context
  --rules <file>            permissions of the ServiceAccount, in YAML: a list of RBAC rules, or a Role or ClusterRole
                            with such rules; default: rules.yaml in the working directory
  --kubeconfig <file>       of the member; default: $KUBECONFIG, else ~/.kube/config
  --context <context>       of the member; default: the current one
  --hub-kubeconfig <file>   of the hub; default: that of the member
  --hub-context <context>   of the hub; default: the current one
  --token-lifetime <time>   in seconds, at least 600: the token expires, and each run renews it; default: a token that does
                            not expire, kept in a Secret in the member
  --dry-run                 write nothing, and print what would be done
  --json                    print one JSON object per line
`;

/** A token of a shorter life is refused by the API server. */
const SHORTEST_LIFETIME = 600;

const rule = z.strictObject({
  apiGroups: z.array(z.string()).exactOptional(),
  resources: z.array(z.string()).exactOptional(),
  resourceNames: z.array(z.string()).exactOptional(),
  nonResourceURLs: z.array(z.string()).exactOptional(),
  verbs: z.array(z.string()).min(1),
});
const rulesSchema = z.union([z.array(rule).min(1), z.looseObject({ rules: z.array(rule).min(1) })]);

/** What the API server takes as the name of a Secret (RFC 1123). */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`);

/** What was typed cannot be done. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const values = options();
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const { namespace, kubeconfig, context, name = context } = values;
  if (!namespace || !name) throw new UsageError('--namespace, and --name or --context, are needed');
  checkName(name);
  const tokenLifetime = lifetimeOf(values['token-lifetime']);
  const rules = readRules(values.rules ?? 'rules.yaml');
  const isDryRun = values['dry-run'] ?? false;
  const { secretLabel, secretKey } = withDefaults({ namespace });
  const member = load(kubeconfig, context);
  const hub = load(values['hub-kubeconfig'] ?? kubeconfig, values['hub-context']);
  const onStep = (step: AccessStep) => print(step, { json: values.json ?? false, isDryRun });
  const onWait = (secret: string, atMost: number) =>
    process.stderr.write(
      `waits up to ${atMost / 1_000} s for the member to put a token into Secret ${terminalText(secret)}\n`,
    );
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  const access = { member, hub, namespace, name, secretLabel, secretKey, rules, isDryRun, onStep, onWait };
  await giveAccess({ ...access, ...(tokenLifetime !== undefined && { tokenLifetime }) }, end.signal);
}

function load(path: string | undefined, context: string | undefined) {
  return loadKubeconfig({ ...(path !== undefined && { path }), ...(context !== undefined && { context }) });
}

/** The API server would refuse it only when the member has been written to. */
function checkName(name: string): void {
  if (SUBDOMAIN.test(name)) return;
  throw new UsageError(
    `--name (default: as --context): expected up to 253 of a-z, 0-9, "-" and ".", with a letter or digit at both ends and beside every ".", found ${JSON.stringify(name)}`,
  );
}

function lifetimeOf(text: string | undefined): number | undefined {
  const seconds = text === undefined ? undefined : Number(text);
  if (seconds === undefined || (Number.isInteger(seconds) && seconds >= SHORTEST_LIFETIME)) return seconds;
  throw new UsageError(
    `--token-lifetime: expected seconds, ${SHORTEST_LIFETIME} at least, found ${JSON.stringify(text)}`,
  );
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
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
      },
    });
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readRules(file: string) {
  try {
    const checked = rulesSchema.parse(parse(readFileSync(file, 'utf8')));
    return Array.isArray(checked) ? checked : checked.rules;
  } catch (error) {
    const isUnfit = error instanceof z.ZodError;
    const why = isUnfit ? 'expected a list of RBAC rules, or an object with such rules' : (error as Error).message;
    throw new UsageError(`--rules ${file}: ${why}`);
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
  // A message of the YAML parser has several lines.
  const message = (error as Error).message.split('\n').map(terminalText).join('\n');
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${USAGE}` : `mcr-kubeconfig-secret: ${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
