import { parseArgs } from 'node:util';

export const usage = `usage: npm run demo -- [options]

  without options      a story about a fleet on this machine: a hub and members in embedded control planes
  --json               no story on the terminal, one JSON document on stdout at the end
  --stay               keep the fleet running after the story, until Ctrl-C

  --kubeconfig PATH    run the controller, read-only, on the hub of your own that PATH leads to, until Ctrl-C
  --context NAME       the context in PATH (default: its current one)
  --namespace NS       the namespace of that hub that holds the kubeconfig Secrets (required with --kubeconfig)`;

export type Arguments =
  | { readonly mode: 'help' }
  | { readonly mode: 'invalid'; readonly message: string }
  | { readonly mode: 'demo'; readonly output: 'json' | 'story'; readonly after: 'exit' | 'stay' }
  | { readonly mode: 'hub'; readonly kubeconfig: string; readonly context?: string; readonly namespace: string };

/** Reads the command line. Never throws: what is wrong with it is a mode of its own. */
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
        message: `${option} belongs to a hub of your own: name its kubeconfig with --kubeconfig PATH`,
      };
    }
    if (json && stay)
      return { mode: 'invalid', message: '--json ends with a document, --stay does not end: choose one' };
    return { mode: 'demo', output: json ? 'json' : 'story', after: stay ? 'stay' : 'exit' };
  }
  if (namespace === undefined || namespace === '') {
    return {
      mode: 'invalid',
      message: '--kubeconfig needs --namespace NS: the namespace of the hub that holds the kubeconfig Secrets',
    };
  }
  if (json || stay)
    return { mode: 'invalid', message: '--json and --stay belong to the story, which --kubeconfig does not play' };
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
