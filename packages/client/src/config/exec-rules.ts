import type { ExecAuth } from './cluster-config.ts';

const API_VERSIONS: readonly string[] = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Variables by which a dynamic linker, a shell or an interpreter is made to run other code than the command's: whoever
 * sets one has run what he likes. The list is of the usual ones, and cannot be whole.
 */
const CODE_VARIABLES =
  /^(PATH|HOME|ENV|BASH_.*|SHELLOPTS|IFS|LD_.*|DYLD_.*|GCONV_PATH|GLIBC_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|(_|JDK_)?JAVA_.*)$/i;

export interface ExecProblem {
  /** Of the {@link ExecAuth}. */
  readonly field: 'apiVersion' | 'command' | 'env';
  readonly problem: string;
}

/** What stands against running a plugin; `undefined`: nothing. */
export function execProblem({ apiVersion, command, env, allowedCommands }: ExecAuth): ExecProblem | undefined {
  if (!API_VERSIONS.includes(apiVersion)) {
    return { field: 'apiVersion', problem: `is not spoken here: expected ${API_VERSIONS.join(' or ')}` };
  }
  if (!command) return { field: 'command', problem: 'is not set: expected the name of the plugin' };
  if (!allowedCommands) return undefined;
  if (!allowedCommands.includes(command)) {
    return {
      field: 'command',
      problem: 'is not one of the allowed commands: name another plugin, or allow it in code',
    };
  }
  const variable = Object.keys(env ?? {}).find((name) => CODE_VARIABLES.test(name));
  if (variable === undefined) return undefined;
  return {
    field: 'env',
    problem: `sets ${JSON.stringify(variable)}, by which other code than the command's can be run`,
  };
}
