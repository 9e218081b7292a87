import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import type { KindStandIn } from './stand-in.ts';

/**
 * Returns the programs by name. The shell answers reads from files, within milliseconds. Writes go to the process that
 * hosts the control planes.
 */
export function programs(directory: string): Readonly<Record<string, string>> {
  const quoted = quote(directory);
  const ask = `const socket = require('node:net').connect(process.argv[1] + '/socket');
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('end', () => {
      const { stdout, stderr, code } = JSON.parse(text);
      process.stdout.write(stdout);
      process.stderr.write(stderr);
      process.exitCode = code;
    });
    socket.end(JSON.stringify(process.argv.slice(2)));`;
  return {
    kind: `#!/bin/sh
cd ${quoted} || exit 1
if [ -e outage ]; then
  echo 'ERROR: failed to list clusters: command "docker ps" failed with error: exit status 1' >&2
  exit 1
fi
case "$1 $2" in
'get clusters')
  listed=$(ls clusters)
  if [ -z "$listed" ]; then echo 'No kind clusters found.' >&2; else echo "$listed"; fi
  ;;
'get kubeconfig')
  name=$3
  case "$name" in --name) name=$4 ;; --name=*) name=\${name#--name=} ;; *) name=kind ;; esac
  if [ -e "clusters/$name/hangs" ]; then exec sleep 3600; fi
  if [ ! -d "clusters/$name" ]; then
    echo "ERROR: could not locate any control plane nodes for cluster named '$name'. Use the --name option to select a different cluster" >&2
    exit 1
  fi
  if ! cat "clusters/$name/kubeconfig" 2>/dev/null; then
    echo "ERROR: failed to get cluster internal kubeconfig: command \\"docker exec --privileged $name-control-plane cat /etc/kubernetes/admin.conf\\" failed with error: exit status 1" >&2
    echo 'Command Output: cat: /etc/kubernetes/admin.conf: No such file or directory' >&2
    exit 1
  fi
  ;;
*)
  exec ${quote(process.execPath)} --eval ${quote(ask)} ${quoted} "$@"
  ;;
esac
`,
    docker: `#!/bin/sh
cd ${quoted} || exit 1
if [ "$1" != events ]; then echo "docker: '$1' is not a docker command." >&2; exit 1; fi
if [ -e outage ]; then echo 'Cannot connect to the Docker daemon. Is the docker daemon running?' >&2; exit 1; fi
exec tail -n 0 -f events
`,
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs a command of `kind`, given its arguments in JSON. Never rejects. */
export async function answer(asked: string, standIn: KindStandIn): Promise<Reply> {
  try {
    const { name, command, kubeconfig } = parse(z.array(z.string()).parse(JSON.parse(asked)));
    if (command === 'delete cluster') {
      await standIn.delete(name);
      return { stdout: '', stderr: `Deleting cluster "${name}" ...\n`, code: 0 };
    }
    if (command !== 'create cluster') throw new Error(`unknown command "${command}" for "kind"`);
    const plane = await standIn.create(name).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Error(`failed to create cluster: node(s) already exist for a cluster with the name "${name}"`);
    });
    if (kubeconfig !== undefined) await writeFile(kubeconfig, plane.kubeconfig);
    return { stdout: '', stderr: `Creating cluster "${name}" ...\nSet kubectl context to "kind-${name}"\n`, code: 0 };
  } catch (error) {
    return { stdout: '', stderr: `ERROR: ${(error as Error).message}\n`, code: 1 };
  }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { name: { ...text, short: 'n' }, kubeconfig: text, image: text, wait: text },
  });
  return { name: values.name ?? 'kind', kubeconfig: values.kubeconfig, command: positionals.join(' ') };
}
