import type { CrdManifest, CustomResourceDefinition, DeepReadonly, Logger } from '@mcr/client';
import { Backoff, CustomResourceDefinition as Crd, isConflict, sleep } from '@mcr/client';
import type { ClusterFilter } from '../controller/source/source.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Manager } from '../manager/manager.ts';
import type { ClusterUpkeep, UpkeepTask } from '../manager/cluster-upkeep.ts';
import { createClusterUpkeep } from '../manager/cluster-upkeep.ts';
import { withPermissionAdvice } from '../manager/permission-advice.ts';
import { definitionPermission } from './crd-permissions.ts';
import { beforeConversion, conversionMissing, ConversionMissingError } from './conversion-state.ts';
import type { CrdState, LossyChange } from './definition-state.ts';
import { compareCrd, checkServed, nameOf, REVISION_ANNOTATION } from './definition-state.ts';
import { migrateStorage } from './migrate-storage.ts';
import { checkReceived, readDefinition } from './received-definition.ts';

export interface ClusterDefinitionsOptions {
  readonly manager: Pick<Manager, 'clock' | 'logger' | 'fleet' | 'elected' | 'isLeader' | 'slots' | 'ownership'>;
  readonly definitions: readonly DeepReadonly<CrdManifest>[];
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
  readonly checkInterval: number;
}

/** Delays after a failure, in milliseconds. */
const RETRY = { base: 1_000, max: 300_000 };
/** Delays between two reads of a CRD that is not established yet, in milliseconds. */
const POLL = { base: 100, max: 2_000 };

/** Returns the runnable that keeps the CRDs of every selected cluster as they are needed. */
export function definitionUpkeep(options: ClusterDefinitionsOptions): ClusterUpkeep {
  const definitions = new ClusterDefinitions(options);
  return createClusterUpkeep({
    manager: options.manager,
    description: 'ensureCrds',
    controller: 'crds',
    parts: options.definitions.map(partOf),
    failureMessage: 'failed to ensure a CustomResourceDefinition, retrying',
    group: 'other',
    engageLocal: true,
    isSelected: options.isSelected,
    retry: RETRY,
    checkInterval: options.checkInterval,
    reconcile: (task) => definitions.reconcile(task),
  });
}

/** Checks CRDs, and installs and updates them. */
class ClusterDefinitions {
  readonly #options: ClusterDefinitionsOptions;

  constructor(options: ClusterDefinitionsOptions) {
    this.#options = options;
  }

  /** Checks the CRDs of one cluster. */
  async reconcile(task: UpkeepTask): Promise<void> {
    const { cluster, log, signal } = task;
    for (const definition of this.#options.definitions) {
      const failure = await this.#ensure(cluster, definition, log, signal).catch((error: unknown) =>
        withPermissionAdvice(error as Error, {
          permission: definitionPermission([nameOf(definition)], this.#options),
          manifest: 'manifests/rbac-crds.yaml of @mcr/core',
        }),
      );
      const part = partOf(definition);
      if (failure instanceof ConversionMissingError) task.wait(part, failure);
      else task.report(part, failure);
    }
  }

  /** Returns why the cluster does not serve the CRD, or `undefined` if it does. */
  async #ensure(
    cluster: Cluster,
    definition: DeepReadonly<CrdManifest>,
    log: Logger,
    signal: AbortSignal,
  ): Promise<Error | undefined> {
    const { apiReader, client } = cluster;
    const found = await apiReader.find(Crd, { name: nameOf(definition) }, { signal });
    if (found) checkReceived(nameOf(definition), found);
    const reduced = this.#options.install ? beforeConversion(definition, found) : undefined;
    const target = reduced ?? definition;
    let state = await this.#installed(cluster, target, found, log, signal);
    if (state.type === 'wait') state = await this.#untilServed(cluster, target, signal);
    if (state.type !== 'served') return new Error(state.reason);
    if (reduced) return conversionMissing(definition, reduced);
    if (this.#options.migrateStorage) {
      const current = await readDefinition(apiReader, nameOf(definition), signal);
      // Something may have removed the conversion in the meantime.
      const lost = beforeConversion(definition, current);
      if (lost) return conversionMissing(definition, lost);
      const count = await migrateStorage(definition, current, { client, reader: apiReader, signal });
      if (count > 0) log.info('stored objects migrated', { crd: nameOf(definition), objects: count });
    }
    return undefined;
  }

  /** Applies the CRD if it must be. */
  async #installed(
    cluster: Cluster,
    definition: DeepReadonly<CrdManifest>,
    found: DeepReadonly<CustomResourceDefinition> | undefined,
    log: Logger,
    signal: AbortSignal,
  ): Promise<CrdState> {
    const { install, revision, allow } = this.#options;
    const state = compareCrd(definition, found, { install, revision, allow });
    if (state.type !== 'apply') return state;
    const applied = await this.#apply(cluster, definition, signal);
    if (applied.metadata.resourceVersion !== found?.metadata.resourceVersion) {
      log.info(found ? 'CRD updated' : 'CRD installed', { crd: nameOf(definition), revision });
    }
    return checkServed(definition, applied);
  }

  async #apply(
    { client }: Cluster,
    definition: DeepReadonly<CrdManifest>,
    signal: AbortSignal,
  ): Promise<CustomResourceDefinition> {
    const { manager, revision, fieldManager, force } = this.#options;
    // With sharding, the fence of the cluster refuses writes of a replica that does not own it.
    if (!manager.slots && !manager.isLeader()) throw new Error('this process no longer leads');
    const { status: _, ...rest } = definition;
    const annotations = { ...definition.metadata.annotations, [REVISION_ANNOTATION]: String(revision) };
    const configuration = { ...rest, metadata: { ...definition.metadata, annotations } };
    try {
      const applied = await client.apply(Crd, configuration, { fieldManager, force, signal });
      checkReceived(nameOf(definition), applied);
      return applied;
    } catch (error) {
      throw withAdvice(error);
    }
  }

  /** Reads the CRD until the API server serves it. */
  async #untilServed(
    { apiReader }: Cluster,
    definition: DeepReadonly<CrdManifest>,
    signal: AbortSignal,
  ): Promise<CrdState> {
    const { clock } = this.#options.manager;
    const backoff = new Backoff(POLL);
    const deadline = clock.now() + this.#options.timeout;
    for (;;) {
      await sleep(clock, backoff.next(), signal);
      const state = checkServed(definition, await readDefinition(apiReader, nameOf(definition), signal));
      if (state.type !== 'wait' || clock.now() >= deadline) return state;
    }
  }
}

/** Name of a CRD in the fleet status. */
function partOf(definition: DeepReadonly<CrdManifest>): string {
  return `CRD ${nameOf(definition)}`;
}

/** The field of a conflict about the conversion of a definition. */
const CONVERSION = '.spec.conversion';

/** Says what to do about fields of another field manager. */
function withAdvice(error: unknown): unknown {
  if (!isConflict(error)) return error;
  const fields = error.details?.causes?.map(({ field }) => field) ?? [];
  const remedy = fields.some((field) => field === CONVERSION || field?.startsWith(`${CONVERSION}.`))
    ? 'installWebhooks or another program writes the conversion, so pass crdOf(kind, { conversion: "external" })'
    : 'remove the fields from the other field manager, or set the option "force"';
  return new Error(`${error.message}: ${remedy}`, { cause: error });
}
