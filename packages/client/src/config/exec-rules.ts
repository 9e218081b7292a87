import { argumentsProblem, matchesValue, type AllowedCommand } from './allowed-command.ts';
import type { ExecAuth } from './cluster-config.ts';

const API_VERSIONS: readonly string[] = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

export interface ExecProblem {
  /** The field of the {@link ExecAuth}. */
  readonly field: 'apiVersion' | 'command' | 'args' | 'env' | 'provideClusterInfo';
  readonly problem: string;
}

/** Returns why a plugin may not be run, or `undefined` if it may. */
export function execProblem(auth: ExecAuth): ExecProblem | undefined {
  const { apiVersion, command, allowedCommands } = auth;
  if (!API_VERSIONS.includes(apiVersion)) {
    return { field: 'apiVersion', problem: `is not supported: expected ${API_VERSIONS.join(' or ')}` };
  }
  if (!command) return { field: 'command', problem: 'is not set: expected the name of the plugin' };
  if (!allowedCommands || allowedEntry(auth)) return undefined;
  const entry = allowedCommands.find((candidate) => candidate.command === command);
  if (!entry) {
    return {
      field: 'command',
      problem: 'is not one of the allowed commands: name another plugin, or allow it in code',
    };
  }
  return mismatch(auth, entry);
}

/** Returns the entry of `allowedCommands` that allows a plugin. */
export function allowedEntry(auth: ExecAuth): AllowedCommand | undefined {
  return auth.allowedCommands?.find((entry) => entry.command === auth.command && !mismatch(auth, entry));
}

/** Returns what an entry for the same command does not allow. The text contains names of variables, but no values. */
function mismatch(
  { args = [], env = {}, provideClusterInfo }: ExecAuth,
  entry: AllowedCommand,
): ExecProblem | undefined {
  const problem = argumentsProblem(args, entry.args);
  if (problem !== undefined) return { field: 'args', problem: `${problem}: change it, or allow it in code` };
  const allowed = new Map(Object.entries(entry.env ?? {}));
  for (const [name, value] of Object.entries(env)) {
    const allowedValue = allowed.get(name);
    if (allowedValue !== undefined && matchesValue(value, allowedValue)) continue;
    const what = allowedValue === undefined ? 'which is not an allowed variable' : 'to a value that is not allowed';
    return { field: 'env', problem: `sets ${JSON.stringify(name)}, ${what}: remove it, or allow it in code` };
  }
  if (provideClusterInfo && !entry.clusterInfo) {
    return {
      field: 'provideClusterInfo',
      problem: 'is true, but the plugin may not receive cluster information: remove it, or set clusterInfo in code',
    };
  }
  return undefined;
}
