import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Output } from '../command/output.ts';
import { readProject } from '../project/read-project.ts';
import { openBrowser } from './browser.ts';
import { Balancer } from './balancer.ts';
import { Definitions } from './definitions.ts';
import { startFleet } from './dev-fleet.ts';
import { FleetPages } from './fleet-page.ts';
import { Kubeconfigs } from './kubeconfigs.ts';
import { LoadedFiles } from './loaded-files.ts';
import { addressVariables, reserveAddresses } from './replica-addresses.ts';
import { memberAdvice } from './member-advice.ts';
import { createReplicas } from './replicas.ts';
import { replicaEndpoints } from './replica-endpoints.ts';
import { logVariables } from './log-variables.ts';
import { ProjectWatch } from './project-watch.ts';
import { keepCurrent } from './roll-out.ts';
import { whenEnded } from './is-running.ts';
import { sayTo } from './say.ts';

/** Options of `mcr dev`. */
export interface DevOptions {
  /** Path of the config. */
  readonly config: string;
  /** Path of the program, from the directory of the config. */
  readonly main: string;
  /** Default: 2; 0 without a provider. */
  readonly members?: number;
  readonly replicas: number;
  /** Whether to open the fleet page. */
  readonly open: boolean;
  /** Deadline for each function of the config, in seconds. */
  readonly timeout: number;
}

const MEMBERS = 2;

/** `mcr dev`: runs a program on a fleet on this machine until the signal. @returns whether the signal ended it. */
export async function runDev(options: DevOptions, output: Output): Promise<boolean> {
  const { signal } = output;
  try {
    await run(options, output);
  } catch (error) {
    // Steps that the abort interrupts fail.
    if (!signal.aborted) throw error;
  }
  return signal.aborted;
}

async function run(options: DevOptions, output: Output): Promise<void> {
  const { signal, warn } = output;
  const say = sayTo(output);
  const config = resolve(options.config);
  const directory = dirname(config);
  const file = resolve(directory, options.main);
  await using started = new AsyncDisposableStack();

  const kubeconfigs = started.use(new Kubeconfigs(directory));
  const reserved = started.use(await reserveAddresses(options.replicas));
  const { addresses } = reserved;
  const shared = { KUBECONFIG_DIR: kubeconfigs.members, ...logVariables(output) };
  const env = { ...shared, ...addresses.map(addressVariables)[0] };
  say.step(`reading ${options.config}`);
  const source = { config, timeout: options.timeout, env, signal };
  const project = await readProject({ ...source, warn });
  if (!existsSync(file)) throw new Error(`--main: ${file}: no such file: set --main <file> to the program`);
  const endpoints = replicaEndpoints(project, addresses);
  const balancer = project.webhookPort === undefined ? undefined : started.use(await Balancer.start(addresses));

  const members = options.members ?? (project.hasProvider ? MEMBERS : 0);
  const fleet = started.use(await startFleet(project, { members, webhooks: balancer?.address, say, signal }));
  kubeconfigs.write(fleet);
  say.step(`export KUBECONFIG=${quoted(kubeconfigs.hub)}`);
  const advice = members === 0 ? undefined : memberAdvice(project, kubeconfigs.members);
  if (advice !== undefined) say.step(advice);

  const files = started.use(new LoadedFiles(say));
  const replicas = createReplicas({
    hub: fleet.hub.config,
    project,
    program: { file, config, directory },
    env: {
      ...shared,
      KUBECONFIG: kubeconfigs.hub,
      POD_NAMESPACE: project.namespace,
      ...(balancer && { WEBHOOK_URL: balancer.url }),
    },
    addresses,
    endpoints,
    files,
    definitions: new Definitions(fleet, { installed: project.definitions, say, signal }),
    say,
    output,
  });
  started.defer(async () => void (await Promise.all(replicas.map((replica) => replica.stop()))));
  const onAbort = (): void => say.step('stopping: press Ctrl-C again to kill everything at once');
  signal.addEventListener('abort', onAbort, { once: true });
  const pages = new FleetPages({
    say,
    open: opensPage(options, output) ? openBrowser : undefined,
    signal,
  });
  const watch = new ProjectWatch({ ...source, started: project, say });
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  void whenEnded(fleet.hub.pid, stop).then(
    () => over.abort(new Error('the process of the clusters has ended: start mcr dev again')),
    () => undefined,
  );
  reserved[Symbol.dispose]();
  await keepCurrent({
    replicas,
    files,
    directory,
    say,
    onStarted: (replica) => void pages.find(replica),
    onChanged: () => void watch.check(),
    signal: stop,
  });
  if (signal.aborted) return;
  // They would wait for the hub.
  for (const replica of replicas) replica.kill();
  throw over.signal.reason;
}

/** The page is opened only for a person. */
function opensPage({ open }: DevOptions, { isTerminal = false }: Output): boolean {
  return open && isTerminal && !process.env['CI'];
}

/** Returns a path as a word of a shell. */
function quoted(path: string): string {
  return /^[\w./+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
