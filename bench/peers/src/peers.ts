import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PeerId, Row } from './rows.ts';

const run = promisify(execFile);
const directory = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Programs of other languages are built here, outside of version control. */
const output = directory('../../.mcr/peers/');
const built = { go: `${output}go/`, rust: `${output}rust/` };
/** Path of the canned server, once Go programs are built. */
export const serverProgram = `${built.go}server`;

/** Command line of a program. */
export type Command = readonly [file: string, ...args: string[]];

export interface Peer {
  readonly id: PeerId;
  readonly title: string;
  /** Names of the ways in which a row is run; most peers have one. */
  readonly variants?: (row: Row) => readonly string[];
  readonly command: (row: Row, variant: string) => Command;
  /** Returns why the peer cannot be built or run here, or undefined. */
  readonly prepare: (row: Row) => string | undefined;
}

/** Builds the programs of Go and Rust. Returns for each language why it is missing, if it is. */
export async function buildPrograms(): Promise<{ go?: string; rust?: string }> {
  mkdirSync(built.go, { recursive: true });
  const go = await problemOf('go', ['build', '-C', directory('../go'), '-o', built.go, './server', './client']);
  const manifest = directory('../rust/Cargo.toml');
  const rust = await problemOf('cargo', ['build', '--release', '--locked', '--manifest-path', manifest], {
    CARGO_TARGET_DIR: built.rust,
  });
  return { ...(go && { go }), ...(rust && { rust }) };
}

async function problemOf(tool: string, args: string[], env = {}): Promise<string | undefined> {
  try {
    await run(tool, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 26 });
    return undefined;
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return `${tool} is not installed`;
    console.error(stderr);
    return `${tool} build failed: its output is above`;
  }
}

export function peersWith(missing: { go?: string; rust?: string }): readonly Peer[] {
  return [
    {
      id: 'mcr',
      title: 'mcr',
      command: (row) => nodeProgram('mcr.ts', row, startOfMcr),
      prepare: ({ id }) =>
        id === 'start' && !existsSync(distOfCore) ? '@mcr/core is not built: run `pnpm build` first' : undefined,
    },
    {
      id: 'controller-runtime',
      title: 'controller-runtime',
      variants: ({ id, serving }) => {
        if (['queue', 'reconciles'].includes(id)) return ['priority', 'FIFO'];
        if (id.endsWith('-widgets')) return ['unstructured'];
        return serving ? ['protobuf', 'JSON'] : [''];
      },
      command: (_row, variant) => [`${built.go}client`, variant],
      prepare: () => missing.go,
    },
    {
      id: 'kube-rs',
      title: 'kube-rs',
      command: () => [`${built.rust}release/kube-rs-peer`],
      prepare: () => missing.rust,
    },
    {
      id: 'client-node',
      title: 'client-node',
      command: (row) => nodeProgram('client-node.ts', row, startOfClientNode),
      prepare: () => undefined,
    },
    { id: 'bare', title: 'bare', command: (row) => nodeProgram('bare.ts', row, ''), prepare: () => undefined },
  ];
}

const distOfCore = directory('../../../packages/core/dist/index.js');

/** Programs of the row `start`, as JavaScript: Node.js needs time of its own to strip types. */
const startOfMcr = `
  import { createManager, InMemoryProvider } from ${JSON.stringify(new URL('../../../packages/core/dist/index.js', import.meta.url).href)};
  const provider = new InMemoryProvider();
  const run = provider.run.bind(provider);
  const ready = Promise.withResolvers();
  provider.run = (...args) => (ready.resolve(), run(...args));
  const metrics = { bindAddress: '0' };
  const manager = await createManager({ config: { server: 'https://127.0.0.1:1' }, provider, metrics });
  void manager.start(new AbortController().signal);
  await ready.promise;
`;
const startOfClientNode = `
  import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'peer', server: 'https://127.0.0.1:1' }, { name: 'peer' });
  const core = config.makeApiClient(CoreV1Api);
  makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
`;

function nodeProgram(file: string, row: Row, start: string): Command {
  const flags = ['--expose-gc', '--disable-warning=ExperimentalWarning'];
  if (row.id === 'start') {
    const waiting = `console.log('{"ms":0,"cpu":0}'); process.stdin.resume().on('end', () => process.exit(0));`;
    return [process.execPath, ...flags, '--input-type=module', '--eval', `${start}\n${waiting}`];
  }
  return [process.execPath, ...flags, '--conditions=@mcr/source', directory(file)];
}
