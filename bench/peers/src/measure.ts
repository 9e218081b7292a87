import { performance } from 'node:perf_hooks';
import { median } from '../../src/scenario.ts';
import { Conversation } from './conversation.ts';
import type { Peer } from './peers.ts';
import { serverProgram } from './peers.ts';
import type { Job } from './program.ts';
import type { Row, Run, Serving, Size, Step } from './rows.ts';

const TOKENS = ['first-token', 'second-token'] as const;

/** The first line of the canned server. */
interface Served {
  readonly urls: readonly string[];
  readonly ca: string;
  /** Bytes on the wire per resource. */
  readonly initialBytes: Readonly<Record<string, number>>;
  readonly flowBytes: Readonly<Record<string, number>>;
}

/** Requests since the server was last asked, and its processor seconds in total. */
interface Seen {
  readonly lists: number;
  readonly watchLists: number;
  readonly cpu: number;
}

/** Canned servers of one row, one for each way of serving. */
export class Servers implements AsyncDisposable {
  readonly #running = new Map<string, Promise<{ server: Conversation; served: Served }>>();

  get(serving: Serving, protobuf: boolean): Promise<{ server: Conversation; served: Served }> {
    const args = [
      // One more is the manager's own cluster.
      `-clusters=${serving.clusters + 1}`,
      `-objects=${serving.objects}`,
      `-resources=${serving.resources.join(',')}`,
      `-updates=${serving.updates}`,
      `-rate=${serving.rate}`,
      `-protobuf=${protobuf}`,
    ];
    const key = args.join(' ');
    const running = this.#running.get(key) ?? start(args);
    this.#running.set(key, running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#running.values()) await (await running).server[Symbol.asyncDispose]();
  }
}

async function start(args: readonly string[]): Promise<{ server: Conversation; served: Served }> {
  const server = new Conversation([serverProgram, ...args]);
  return { server, served: await server.answer<Served>() };
}

/** Runs a row of a peer once. */
export async function measure(row: Row, peer: Peer, variant: string, size: Size, servers: Servers): Promise<Run> {
  const serving = row.serving?.(size, peer.id);
  const { server, served } = serving ? await servers.get(serving, variant === 'protobuf') : {};
  await server?.ask('reset');
  const before = await server?.ask<Seen>('stats');
  const [hub = 'https://127.0.0.1:1', ...urls] = served?.urls ?? [];
  const resource = serving?.resource ?? 'pods';
  const objects = serving?.objects ?? row.items?.(size) ?? 0;
  const updates = serving?.updates ?? 0;
  const job: Job = {
    row: row.id.replace(/-.*$/u, ''),
    ...{ urls, hub, ca: served?.ca ?? '', token: TOKENS[0], resource, objects, updates },
    initialBytes: served?.initialBytes[resource] ?? 0,
    flowBytes: served?.flowBytes[resource] ?? 0,
  };

  const steps: Step[] = [];
  const started = performance.now();
  await using program = new Conversation(peer.command(row, variant));
  const step = async (line: string) => {
    const figures = await program.ask<Step>(line);
    steps.push({ ...figures, rss: program.rss() });
  };
  await step(JSON.stringify(job));
  const [idle] = steps;
  if (row.id === 'start' && idle) steps[0] = { ...idle, ms: performance.now() - started };
  if (server) await step('go');
  let relists = 0;
  const seen = async (command: string) => {
    const { lists = 0, watchLists = 0, cpu = 0 } = (await server?.ask<Seen>(command)) ?? {};
    relists += lists + watchLists;
    return cpu;
  };
  if (row.id === 'rotate') {
    await server?.ask('stats');
    await step(TOKENS[1]);
    await seen(`rotate ${TOKENS[1]}`);
  }
  if (updates > 0) {
    program.say('go');
    await seen('flow');
    const figures = await program.answer<Step>();
    steps.push({ ...figures, rss: program.rss() });
  }
  const { warmUp, measured } = row.repeat?.(size) ?? { warmUp: 0, measured: 0 };
  for (let round = 0; round < warmUp; round++) await program.ask('go');
  for (let round = 0; round < measured; round++) await step('go');
  const cpu = await seen('stats');
  return {
    steps: measured > 0 ? [...steps.slice(0, 1), medianStep(steps.slice(1))] : steps,
    clusters: urls.length,
    objects,
    updates,
    relists,
    server: cpu - (before?.cpu ?? 0),
  };
}

function medianStep(steps: readonly Step[]): Step {
  const ms = median(steps.map((step) => step.ms));
  return { ms, cpu: median(steps.map((step) => step.cpu)), rss: median(steps.map((step) => step.rss)) };
}
