import type { CustomResourceDefinition, Logger } from '@mcr/client';
import { Backoff, CustomResourceDefinition as Crd, isConflict, orAborted, sleep, untilAborted } from '@mcr/client';
import type { ClusterFilter } from '../controller/source/source.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';
import type { Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';
import { beforeConversion, conversionMissing } from './conversion-state.ts';
import type { CrdDraft, LossyChange, ServedVerdict } from './definition-state.ts';
import { judgeDefinition, judgeServed, nameOf, REVISION_ANNOTATION } from './definition-state.ts';
import { migrateStorage } from './migrate-storage.ts';

export interface ClusterDefinitionsOptions {
  readonly manager: Pick<Manager, 'clock' | 'logger' | 'fleet' | 'elected' | 'isLeader'>;
  readonly definitions: readonly CrdDraft[];
  readonly isSelected: ClusterFilter;
  readonly install: boolean;
  readonly revision?: number;
  readonly allow: readonly LossyChange[];
  readonly migrateStorage: boolean;
  readonly fieldManager: string;
  readonly force: boolean;
  /** In milliseconds. */
  readonly timeout: number;
  /** In milliseconds. */
  readonly resync: number;
}

/** Name in the fleet status. */
const CONTROLLER = 'crds';
/** Delays after a failure, in milliseconds. */
const RETRY = { base: 1_000, max: 300_000 };
/** Delays between two reads of a definition that is not established yet, in milliseconds. */
const POLL = { base: 100, max: 2_000 };
const RESYNC_JITTER = 0.1;

/** Keeps the definitions of every engaged cluster as they are needed. Each cluster has its own loop. */
export class ClusterDefinitions implements Runnable {
  readonly engageLocal = true;
  readonly #options: ClusterDefinitionsOptions;
  readonly #stop = new AbortController();

  constructor(options: ClusterDefinitionsOptions) {
    this.#options = options;
  }

  describe(): string {
    return 'custom resource definitions';
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#stop.abort();
  }

  async engage(clusterName: ClusterName, cluster: Cluster, engaged: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([engaged, this.#stop.signal]);
    void this.#follow(clusterName, cluster, signal).catch((error: unknown) => {
      if (!signal.aborted)
        this.#options.manager.logger.error('definitions are no longer checked', { clusterName, error });
    });
  }

  /** Checks the definitions while the cluster is selected, until `signal` aborts. */
  async #follow(clusterName: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    const log = this.#options.manager.logger.child({ cluster: clusterName });
    const reporter = new Reporter(this.#options.manager.fleet.recorder, clusterName, log);
    while (!signal.aborted) {
      const described = new AbortController();
      const ignoreDescription = cluster.onDescribed(() => described.abort());
      const until = AbortSignal.any([signal, described.signal]);
      try {
        if (await this.#options.isSelected(clusterName, cluster)) await this.#keep(cluster, reporter, log, until);
        reporter.stopped();
        await untilAborted(until);
      } catch (error) {
        if (!until.aborted) throw error;
      } finally {
        ignoreDescription();
      }
    }
  }

  /** Checks the definitions regularly. @throws the reason of `signal` when it aborts. */
  async #keep(cluster: Cluster, reporter: Reporter, log: Logger, signal: AbortSignal): Promise<never> {
    const { manager, definitions, resync } = this.#options;
    const backoff = new Backoff(RETRY);
    const checks = new Backoff({ base: resync, max: resync, jitter: RESYNC_JITTER });
    await orAborted(manager.elected, signal);
    for (;;) {
      let failed = false;
      for (const definition of definitions) {
        const problem = await this.#ensure(cluster, definition, log, signal).catch((error: unknown) => error as Error);
        signal.throwIfAborted();
        reporter.report(definition, problem);
        failed ||= problem !== undefined;
      }
      if (!failed) backoff.reset();
      await sleep(manager.clock, failed ? backoff.next() : checks.next(), signal);
    }
  }

  /** Returns why the cluster does not serve the definition, or `undefined` if it does. */
  async #ensure(cluster: Cluster, definition: CrdDraft, log: Logger, signal: AbortSignal): Promise<Error | undefined> {
    const found = await cluster.apiReader.find(Crd, { name: nameOf(definition) }, { signal });
    const reduced = this.#options.install ? beforeConversion(definition, found) : undefined;
    const target = reduced ?? definition;
    let verdict = await this.#installed(cluster, target, found, log, signal);
    if (verdict.type === 'wait') verdict = await this.#untilServed(cluster, target, signal);
    if (verdict.type !== 'served') return new Error(verdict.reason);
    if (reduced) return conversionMissing(definition, reduced);
    if (this.#options.migrateStorage) {
      const { apiReader, client } = cluster;
      const current = await apiReader.get(Crd, { name: nameOf(definition) }, { signal });
      const count = await migrateStorage(definition, current, { client, reader: apiReader, signal });
      if (count > 0) log.info('stored objects migrated', { crd: nameOf(definition), objects: count });
    }
    return undefined;
  }

  /** Applies the definition if it must be. */
  async #installed(
    cluster: Cluster,
    definition: CrdDraft,
    found: CustomResourceDefinition | undefined,
    log: Logger,
    signal: AbortSignal,
  ): Promise<ServedVerdict> {
    const { install, revision, allow } = this.#options;
    const verdict = judgeDefinition(definition, found, { install, revision, allow });
    if (verdict.type !== 'apply') return verdict;
    const applied = await this.#apply(cluster, definition, signal);
    if (applied.metadata.resourceVersion !== found?.metadata.resourceVersion) {
      log.info(found ? 'definition updated' : 'definition installed', { crd: nameOf(definition), revision });
    }
    return judgeServed(definition, applied);
  }

  async #apply({ client }: Cluster, definition: CrdDraft, signal: AbortSignal): Promise<CustomResourceDefinition> {
    const { manager, revision, fieldManager, force } = this.#options;
    if (!manager.isLeader()) throw new Error('this process no longer leads');
    const { status: _, ...rest } = definition;
    const annotations = { ...definition.metadata.annotations, [REVISION_ANNOTATION]: String(revision) };
    const configuration = { ...rest, metadata: { ...definition.metadata, annotations } };
    try {
      return await client.apply(Crd, configuration, { fieldManager, force, signal });
    } catch (error) {
      throw withAdvice(error);
    }
  }

  /** Reads the definition until the API server serves it. */
  async #untilServed({ apiReader }: Cluster, definition: CrdDraft, signal: AbortSignal): Promise<ServedVerdict> {
    const { clock } = this.#options.manager;
    const backoff = new Backoff(POLL);
    const deadline = clock.now() + this.#options.timeout;
    for (;;) {
      await sleep(clock, backoff.next(), signal);
      const verdict = judgeServed(definition, await apiReader.get(Crd, { name: nameOf(definition) }, { signal }));
      if (verdict.type !== 'wait' || clock.now() >= deadline) return verdict;
    }
  }
}

/** Reports the definitions of one cluster in the fleet status, and logs each new problem once. */
class Reporter {
  readonly #recorder: FleetRecorder;
  readonly #clusterName: ClusterName;
  readonly #log: Logger;
  /** The latest problem of each reported definition, by its name. */
  readonly #problems = new Map<string, string | undefined>();

  constructor(recorder: FleetRecorder, clusterName: ClusterName, log: Logger) {
    this.#recorder = recorder;
    this.#clusterName = clusterName;
    this.#log = log;
  }

  report(definition: CrdDraft, problem: Error | undefined): void {
    const crd = nameOf(definition);
    this.#recorder.source(this.#clusterName, {
      controller: CONTROLLER,
      source: sourceOf(crd),
      ...(problem ? { state: 'failed', error: problem } : { state: 'synced' }),
    });
    if (problem && problem.message !== this.#problems.get(crd)) {
      this.#log.warn('definition is not as needed, retrying', { crd, error: problem });
    }
    this.#problems.set(crd, problem?.message);
  }

  /** Withdraws what was reported. */
  stopped(): void {
    for (const crd of this.#problems.keys()) {
      this.#recorder.source(this.#clusterName, { controller: CONTROLLER, source: sourceOf(crd), state: 'stopped' });
    }
    this.#problems.clear();
  }
}

function sourceOf(crd: string): string {
  return `definition ${crd}`;
}

/** Says what to do about fields of another field manager. */
function withAdvice(error: unknown): unknown {
  if (!isConflict(error)) return error;
  const remedy = error.message.includes('.spec.conversion')
    ? 'installWebhooks or another program writes the conversion, so pass crdOf(kind, { conversion: "external" })'
    : 'remove the fields from the other field manager, or set the option "force"';
  return new Error(`${error.message}: ${remedy}`, { cause: error });
}
