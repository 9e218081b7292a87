import { parseArgs } from 'node:util';

export const usage = `usage: npm run demo -- [options]

  without options      show a fleet on this machine: a hub and members in embedded control planes
  --json               print one JSON document at the end, instead of the steps
  --stay               keep the fleet running after the steps, until Ctrl-C, with a page for the browser

  --kubeconfig PATH    run the controller, read-only, on your own hub until Ctrl-C
  --context NAME       context in PATH (default: the current context)
  --namespace NS       namespace of the hub with the kubeconfig Secrets (required with --kubeconfig)`;

export type Arguments =
  | { readonly mode: 'help' }
  | { readonly mode: 'invalid'; readonly message: string }
  | { readonly mode: 'demo'; readonly output: 'json' | 'story'; readonly after: 'exit' | 'stay' }
  | { readonly mode: 'hub'; readonly kubeconfig: string; readonly context?: string; readonly namespace: string };

/** Parses the command line. Returns mode `invalid` for a wrong one, and never throws. */
export function parseArguments(argv: readonly string[]): Arguments {
  const parsed = parse(argv);
  if (parsed instanceof Error) return { mode: 'invalid', message: parsed.message };
  const { help, json, stay, kubeconfig, context, namespace } = parsed;
  if (help) return { mode: 'help' };
  if (kubeconfig === undefined) {
    if (namespace !== undefined || context !== undefined) {
      const option = namespace === undefined ? '--context' : '--namespace';
      return {
        mode: 'invalid',
        message: `${option} needs --kubeconfig PATH: the kubeconfig of your hub`,
      };
    }
    if (json && stay) return { mode: 'invalid', message: '--json and --stay exclude each other: use one of them' };
    return { mode: 'demo', output: json ? 'json' : 'story', after: stay ? 'stay' : 'exit' };
  }
  if (namespace === undefined || namespace === '') {
    return {
      mode: 'invalid',
      message: '--kubeconfig needs --namespace NS: the namespace of the hub with the kubeconfig Secrets',
    };
  }
  if (json || stay)
    return { mode: 'invalid', message: '--json and --stay cannot be used with --kubeconfig: remove them' };
  return { mode: 'hub', kubeconfig, namespace, ...(context !== undefined && { context }) };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
        stay: { type: 'boolean', default: false },
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        namespace: { type: 'string', short: 'n' },
      },
    }).values;
  } catch (error) {
    return error as Error;
  }
}
