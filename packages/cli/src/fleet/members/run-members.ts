import { type ClusterConfig, loadKubeconfig } from '@mcr/core';
import { terminalText } from '@mcr/core/provider';
import {
  type AccessStep,
  deleteHubSecret,
  giveAccess,
  memberKubeconfig,
  nameProblem,
  readRules,
  SECRET_KEY,
  SECRET_LABEL,
  writeHubSecret,
} from '@mcr/provider-kubeconfig/access';
import type { Output } from '../../command/output.ts';
import { checkCluster } from './check-cluster.ts';
import { checkText, isPassed } from './check-text.ts';

/** The kubeconfig of a cluster. */
interface MemberOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The hub, and the Secrets of the kubeconfig provider. */
interface HubOptions {
  readonly namespace: string;
  readonly hubKubeconfig?: string;
  readonly hubContext?: string;
  readonly secretLabel?: string;
  readonly dryRun?: boolean;
}

/** Options of `mcr fleet check`. */
export interface CheckOptions extends MemberOptions {
  readonly output?: 'json';
  /** In seconds. */
  readonly timeout: number;
}

/** Options of `mcr fleet add`. */
export interface AddOptions extends MemberOptions, HubOptions {
  /** File with the permissions of a ServiceAccount. Default: the Secret holds the credentials of the kubeconfig. */
  readonly rules?: string;
  /** In seconds. */
  readonly tokenLifetime?: number;
  readonly secretKey?: string;
  /** Whether the cluster is checked first. */
  readonly check: boolean;
  /** Deadline of the check, in seconds. */
  readonly timeout: number;
}

/** Options of `mcr fleet remove`. */
export interface RemoveOptions extends HubOptions {
  /** In seconds. */
  readonly timeout: number;
}

/** `mcr fleet check`: tells whether a cluster would engage. @returns whether no check failed. */
export async function runCheck({ timeout, ...options }: CheckOptions, output: Output): Promise<boolean> {
  const kubeconfig = memberKubeconfig('cluster', configOf(options));
  const checks = await checkCluster({ kubeconfig, signal: within(timeout, output) });
  output.print(
    options.output === 'json' ? `${terminalText(JSON.stringify({ checks }))}\n` : checkText(checks, output.isColored),
  );
  return isPassed(checks);
}

/** `mcr fleet add`: writes the Secret of a cluster. @returns whether the cluster was added. */
export async function runAdd(name: string, options: AddOptions, output: Output): Promise<boolean> {
  checkName(name);
  const { namespace, secretLabel = SECRET_LABEL, secretKey = SECRET_KEY, dryRun: isDryRun = false } = options;
  const rules = options.rules === undefined ? undefined : rulesIn(options.rules);
  const member = configOf(options);
  const hub = hubOf(options);
  // With rules, the credentials of the kubeconfig are only used once.
  const kubeconfig = rules ? undefined : memberKubeconfig(name, member);
  if (options.check && kubeconfig !== undefined) {
    const checks = await checkCluster({ kubeconfig, signal: within(options.timeout, output) });
    if (!isPassed(checks)) {
      output.warn(`${checkText(checks)}\nmcr: cluster ${name} was not added: set --no-check to add it nevertheless\n`);
      return false;
    }
  }
  const onStep = (step: AccessStep): void => output.print(stepText(step, isDryRun));
  const secret = { hub, namespace, name, secretLabel, secretKey, isDryRun, onStep };
  if (rules) {
    const { tokenLifetime } = options;
    const onWait = (key: string, atMost: number): void =>
      output.warn(`waiting up to ${atMost / 1000} s for the member to write a token to Secret ${terminalText(key)}\n`);
    const access = { ...secret, member, rules, onWait, ...(tokenLifetime !== undefined && { tokenLifetime }) };
    await giveAccess(access, output.signal);
  } else {
    await writeHubSecret({ ...secret, ...(kubeconfig !== undefined && { kubeconfig }) });
  }
  return true;
}

/** `mcr fleet remove`: deletes the Secret of a cluster. @returns whether it was deleted. */
export async function runRemove(name: string, options: RemoveOptions, output: Output): Promise<boolean> {
  checkName(name);
  const { namespace, secretLabel = SECRET_LABEL, dryRun: isDryRun = false } = options;
  const key = { hub: hubOf(options), namespace, name, secretLabel };
  await deleteHubSecret(key, { signal: within(options.timeout, output), isDryRun });
  output.print(`hub: Secret ${namespace}/${name} ${isDryRun ? 'would be deleted' : 'deleted'}\n`);
  return true;
}

function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new Error(`name of the cluster: ${problem}`);
}

function rulesIn(file: string): ReturnType<typeof readRules> {
  try {
    return readRules(file);
  } catch (error) {
    throw new Error(`--rules ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function configOf({ kubeconfig, context }: MemberOptions): ClusterConfig {
  return loadKubeconfig({
    ...(kubeconfig !== undefined && { path: kubeconfig }),
    ...(context !== undefined && { context }),
  });
}

function hubOf({ hubKubeconfig: kubeconfig, hubContext: context }: HubOptions): ClusterConfig {
  return configOf({ ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) });
}

function within(seconds: number, { signal }: Output): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
}

function stepText({ cluster, kind, object, result }: AccessStep, isDryRun: boolean): string {
  const text = isDryRun && result !== 'unchanged' ? `would be ${result}` : result;
  return `${terminalText(`${cluster}: ${kind} ${object} ${text}`)}\n`;
}
