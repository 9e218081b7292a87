import type { InformerScope, Kind, KubernetesObject, Logger } from '@mcr/client';
import { checkKind, foundText, parseApiVersion, partialMetadata } from '@mcr/client';
import type { Controller } from '../controller.ts';
import { createController } from '../create-controller.ts';
import type { ControllerOptions } from '../../options/controller-options.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import { enqueueRequestForOwner } from '../handler/enqueue-owner.ts';
import { checkHandler } from '../handler/check-handler.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import type { Manager } from '../../manager/manager.ts';
import type { PlacementOptions } from '../placement/placement-options.ts';
import type { Permission, SourcePermission } from '../../permissions/permission.ts';
import { checkPermissions } from '../../permissions/permission.ts';
import type { Predicate } from '../predicate/predicate.ts';
import { clusterNotFoundWrapper } from '../reconcile/cluster-not-found-wrapper.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { ReconcileRequest, RequestType } from '../reconcile/request.ts';
import { requestType, resolveRequestType } from '../reconcile/request.ts';
import type { ClusterMapFunction, ClusterSourceOptions } from '../source/cluster-source.ts';
import { clusterSource } from '../source/cluster-source.ts';
import type { KindSourceOptions } from '../source/kind-source.ts';
import { kindSource } from '../source/kind-source.ts';
import type { SourceTiming } from '../source/source-timing.ts';
import type { Source } from '../source/source.ts';
import type { ShardBy } from '../sharded/shard-by.ts';
import { isShardedByUid } from '../sharded/shard-by.ts';
import type { RateLimiter } from '../workqueue/rate-limiter.ts';
import type { EngageOptions } from './engage-options.ts';
import { clusterFilterOf, selectedPermissions } from './engage-options.ts';
import { checkWatchOptions } from './watch-options.ts';

/** Options of every watch. */
export interface WatchTargetOptions extends InformerScope, SourceTiming {
  /** Selects the clusters that are watched. Default: those of {@link EngageOptions}. */
  readonly engage?: EngageOptions;
}

/** Options of a watch whose predicates receive whole objects. */
export interface WholeObjectOptions<T extends KubernetesObject> {
  readonly metadataOnly?: false;
  /** Predicates that events must pass, in addition to the event filters of the builder. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
}

/** Options of a watch whose predicates receive only metadata. */
export interface MetadataOnlyOptions {
  /** Whether to request and cache only `apiVersion`, `kind` and `metadata`. Default: false. */
  readonly metadataOnly: true;
  /** See {@link WholeObjectOptions.predicates}. */
  readonly predicates?: readonly Predicate[];
}

/**
 * Options of {@link ControllerBuilder.for}. The API server does not send objects outside of the scope (`namespaces`,
 * `labelSelector`, `fieldSelector`).
 */
export type ForOptions<T extends KubernetesObject> = WatchTargetOptions & (WholeObjectOptions<T> | MetadataOnlyOptions);

/** Options of {@link ControllerBuilder.owns}. */
export type OwnsOptions<T extends KubernetesObject> = ForOptions<T> & {
  /**
   * Whether to reconcile every owner of the kind, not only the owner that is the controller of the object. Default:
   * false.
   */
  readonly everyOwner?: boolean;
};

/**
 * Options of {@link ControllerBuilder.watches}. The type of the handler does not depend on `metadataOnly`: a handler
 * that reads other fields of an object finds them missing. To have the compiler check the handler, watch the kind
 * `partialMetadata(kind)` instead.
 */
export type WatchesOptions<T extends KubernetesObject> = ForOptions<T> & {
  /** See {@link KindSourceOptions.project}. */
  readonly project?: NonNullable<KindSourceOptions<T>['project']>;
};

/** Options of {@link ControllerBuilder.withOptions}. */
export interface BuilderControllerOptions extends ControllerOptions {
  /** Delays retries. It must not be shared with other controllers. Default: `rateLimiters.defaultRateLimiter()`. */
  readonly rateLimiter?: RateLimiter;
}

/** A permission of a controller. */
export type ControllerPermission = SourcePermission & {
  /** See {@link Permission.in}. Default: `members`; without a provider, `local`. */
  readonly in?: Permission['in'];
};

/** The settings of the complete builder that the source of a watch depends on. */
interface BuildContext {
  readonly forKind: Kind<KubernetesObject> | undefined;
  readonly eventFilters: readonly Predicate[];
  /** Whether requests need the uid of their object. */
  readonly uid: boolean;
}

/** Options of `createController` that the builder sets, and how. */
const BUILDER_METHODS = {
  shardBy: 'shardBy()',
  logger: 'withLogger()',
  reconciler: 'complete()',
  requestType: 'controllerManagedBy(manager, { requestType })',
} as const;

type PendingSource<R> = (context: BuildContext) => Source<R>;

/**
 * Returns a builder for a controller of the manager.
 *
 * @example
 * await controllerManagedBy(manager)
 *   .for(ConfigMap)
 *   .complete(async (request, { cluster, log }) => {
 *     const configMap = await (await cluster()).client.find(ConfigMap, request);
 *     log.info(configMap ? 'seen' : 'gone');
 *   });
 */
export function controllerManagedBy<R = ReconcileRequest>(
  manager: Manager,
  option: { readonly requestType?: RequestType<R> } = {},
): ControllerBuilder<R> {
  return new ControllerBuilder(manager, resolveRequestType<R>(option));
}

/**
 * Builder of a controller, see {@link controllerManagedBy}. Each method throws a `TypeError` for invalid kinds, handlers
 * and options of watches. `build` and `complete` reject with one for invalid names, controller options and combinations.
 * (Upstream: `mcbuilder.Builder`.)
 */
export class ControllerBuilder<R = ReconcileRequest> {
  readonly #manager: Manager;
  readonly #requestType: RequestType<R>;
  readonly #forKinds: Kind<KubernetesObject>[] = [];
  readonly #sources: PendingSource<R>[] = [];
  readonly #eventFilters: Predicate[] = [];
  #name: string | undefined;
  #ownsAny = false;
  #options: BuilderControllerOptions = {};
  #wrap = true;
  #shardBy: ShardBy<R> | undefined;
  readonly #permissions: { readonly of: string; readonly permission: Permission }[] = [];
  /** Whether a source may watch the local cluster. */
  #watchesLocal = false;
  #logger: Logger | undefined;
  #built = false;

  constructor(manager: Manager, type: RequestType<R>) {
    if (typeof (Object(manager) as { readonly add?: unknown }).add !== 'function') {
      throw new TypeError(
        `controllerManagedBy: expected a manager, found ${foundText(manager)}: pass one, as in controllerManagedBy(await createManager())`,
      );
    }
    this.#manager = manager;
    this.#requestType = type;
  }

  /** Sets the name of the controller. Default: the kind of `for`, in lower case. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /** Reconciles the objects of a kind. */
  for<T extends KubernetesObject>(kind: Kind<T>, options: ForOptions<T> = {}): this {
    this.#forKinds.push(kind);
    return this.#watchKind('for', kind, ({ uid }) => this.#ofRequest(enqueueRequestForObject({ uid })), options);
  }

  /** Reconciles the owner, an object of the kind of `for`, when an object of `kind` changes. */
  owns<T extends KubernetesObject>(kind: Kind<T>, options: OwnsOptions<T> = {}): this {
    const { everyOwner = false, ...rest } = options;
    this.#ownsAny = true;
    return this.#watchKind(
      'owns',
      kind,
      ({ forKind, uid }) =>
        this.#ofRequest(enqueueRequestForOwner(forKind ?? kind, { onlyController: !everyOwner, uid })),
      rest,
    );
  }

  /** Reconciles the requests that `handler` adds for events of a kind. */
  watches<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: EventHandler<T, R>,
    options: WatchesOptions<T> = {},
  ): this {
    checkHandler('watches', handler);
    return this.#watchKind('watches', kind, () => handler, options);
  }

  /**
   * Reconciles the requests that a source adds. Event filters do not apply to it. If the source has a `clusterFilter`,
   * declare the permissions that it needs with {@link requires}.
   */
  watchesRawSource(source: Source<R>): this {
    if (source.per === 'cluster' && !source.clusterFilter) {
      this.#declare(`watchesRawSource(${source.name})`, source.permissions ?? [], {});
    }
    this.#sources.push(() => source);
    this.#watchesLocal = true;
    return this;
  }

  /**
   * Reconciles the requests that `map` returns for changes of the fleet, see {@link clusterSource}. Event filters do not
   * apply to it.
   */
  watchesClusters(map: ClusterMapFunction<R>, options: ClusterSourceOptions = {}): this {
    const source = clusterSource(map, options);
    return this.watchesRawSource(source);
  }

  /**
   * Declares permissions that the reconciler needs, beyond `list` and `watch` of the kinds that the controller watches:
   * writes, reads of other kinds, Events. They have no effect on a running program: `mcr generate` writes all declared
   * permissions as RBAC manifests.
   *
   * @throws {TypeError} if a permission is invalid.
   * @example
   * builder.requires({ kind: Job, verbs: ['create', 'delete'] }, { kind: CronJob, subresource: 'status', verbs: ['patch'] })
   */
  requires(...permissions: readonly ControllerPermission[]): this {
    this.#declare('requires()', permissions, {});
    return this;
  }

  /** Adds a predicate to all of `for`, `owns` and `watches`, in addition to their own. */
  withEventFilter(predicate: Predicate): this {
    this.#eventFilters.push(predicate);
    return this;
  }

  /** Sets options of the controller. Options of a later call override those of an earlier one. */
  withOptions(options: BuilderControllerOptions): this {
    for (const [name, method] of Object.entries(BUILDER_METHODS)) {
      if (Object.hasOwn(options, name)) {
        throw new TypeError(
          `withOptions: option ${JSON.stringify(name)} belongs to the builder: call ${method} instead`,
        );
      }
    }
    this.#options = { ...this.#options, ...options };
    return this;
  }

  /**
   * Sets whether requests of a disengaged cluster end without an error, see `clusterNotFoundWrapper`. Default: true.
   */
  withClusterNotFoundWrapper(wrap: boolean): this {
    this.#wrap = wrap;
    return this;
  }

  /**
   * Sets how the requests for the local cluster are divided among the replicas of a sharded fleet. Without the manager's
   * option `sharding`, it has no effect. With `uid` or a `Shard` by uid, the requests of `for` and `owns` have the uid of
   * their object, and the handlers of `watches` must set it. Default: one replica reconciles them all.
   */
  shardBy(shardBy: ShardBy<R>): this {
    this.#shardBy = shardBy;
    return this;
  }

  /** Sets the logger of the controller and its reconciles. Default: the logger of the manager. */
  withLogger(logger: Logger): this {
    this.#logger = logger;
    return this;
  }

  /**
   * Builds a controller that keeps objects of `owner`, a kind of the local cluster, in the selected clusters, and adds it to
   * the manager. It takes the place of `for` and `complete`.
   *
   * @throws {TypeError} if an option or a combination is invalid.
   */
  async places<T extends KubernetesObject>(owner: Kind<T>, options: PlacementOptions<T>): Promise<Controller<R>> {
    checkKind('places', owner);
    const name = (this.#name ??= owner.kind.toLowerCase());
    if (this.#forKinds.length > 0 || this.#ownsAny || (this.#requestType as unknown) !== requestType) {
      throw new TypeError(
        `controller ${JSON.stringify(name)}: places() takes the place of for() and owns(), and reconciles by ReconcileRequest: leave them out`,
      );
    }
    if (isShardedByUid(this.#shardBy)) {
      throw new TypeError(
        `controller ${JSON.stringify(name)}: the requests of places() have no uid: divide them by shardBy('namespace') or a function`,
      );
    }
    const { createPlacement } = await import('../placement/create-placement.ts');
    const { permissions, sources, reconcile } = createPlacement(name, this.#manager, owner, options);
    this.#declare(`places(${owner.kind})`, permissions, {});
    // The request type was compared above.
    for (const source of sources) this.watchesRawSource(source as unknown as Source<R>);
    return this.build(reconcile as unknown as Reconciler<R>);
  }

  /**
   * Builds the controller and adds it to the manager.
   *
   * @throws {TypeError} if the description of the controller is incomplete or invalid.
   */
  async complete(reconciler: Reconciler<R>): Promise<void> {
    await this.build(reconciler);
  }

  /** Like {@link complete}, but returns the controller. */
  async build(reconciler: Reconciler<R>): Promise<Controller<R>> {
    const forKind = this.#check(reconciler);
    const name = this.#name ?? forKind?.kind.toLowerCase() ?? '';
    const uid = isShardedByUid(this.#shardBy);
    const context: BuildContext = { forKind, eventFilters: this.#eventFilters, uid };
    const sources = this.#sources.map((source) => source(context));
    const concurrency = forKind && this.#manager.controllerOptions.groupKindConcurrency?.[groupKindText(forKind)];
    const options = {
      ...(concurrency !== undefined && { maxConcurrentReconciles: concurrency }),
      ...this.#options,
      ...(this.#logger && { logger: this.#logger }),
      ...(this.#shardBy !== undefined && { shardBy: this.#shardBy }),
      requestType: this.#requestType,
      reconciler: this.#wrap ? clusterNotFoundWrapper(reconciler) : reconciler,
    };
    const controller = createController<R>(name, this.#manager, options);
    this.#built = true;
    for (const { of, permission } of this.#permissions) {
      this.#manager.permissions.require(`controller ${JSON.stringify(name)}: ${of}`, [permission]);
    }
    for (const source of sources) await controller.watch(source);
    await this.#manager.add(controller);
    return controller;
  }

  #check(reconciler: unknown): Kind<KubernetesObject> | undefined {
    const [forKind, secondFor] = this.#forKinds;
    const subject = this.#name ?? forKind?.kind ?? '';
    const refuse = (problem: string) => {
      throw new TypeError(`controller${subject === '' ? '' : ` ${JSON.stringify(subject)}`}: ${problem}`);
    };
    if (secondFor) refuse('for() may be called once; reconcile further kinds with owns() or watches()');
    if (this.#ownsAny && !forKind) refuse('owns() needs for(), which sets the kind of the owners');
    if (this.#sources.length === 0)
      refuse('it watches nothing; call for(), watches(), watchesClusters() or watchesRawSource()');
    if (this.#name === undefined && !forKind)
      refuse('it has no name; call for(), which names it after the kind, or named()');
    if (subject === '') refuse('no name can be derived from a kind without a name; call named()');
    if (this.#ofRequestOnly() && (this.#requestType as unknown) !== requestType) {
      refuse('for() and owns() reconcile by ReconcileRequest; with another request type, use watches()');
    }
    if (
      typeof reconciler !== 'function' &&
      typeof (Object(reconciler) as { reconcile?: unknown }).reconcile !== 'function'
    ) {
      refuse(
        `complete() and build() need a reconciler, found ${foundText(reconciler)}: pass a function (request, context), or an object with a method reconcile`,
      );
    }
    if (typeof reconciler === 'function' && /^class\b/.test(Function.prototype.toString.call(reconciler))) {
      refuse('complete() and build() need a reconciler, found a class: pass an instance of it, made with new');
    }
    if (this.#shardBy !== undefined && !this.#watchesLocal) {
      refuse(
        'shardBy() divides the requests for the local cluster, and it watches only members: set { engage: { local: true } } of for(), owns() or watches(), or leave out shardBy()',
      );
    }
    if (this.#built) refuse('it has a reconciler already; build() and complete() may be called once');
    return forKind;
  }

  #ofRequestOnly(): boolean {
    return this.#forKinds.length > 0 || this.#ownsAny;
  }

  #watchKind<T extends KubernetesObject>(
    method: string,
    kind: Kind<T>,
    handlerFor: (context: BuildContext) => EventHandler<T, R>,
    options: WatchesOptions<T>,
  ): this {
    checkKind(method, kind);
    checkWatchOptions(`${method}(${kind.kind})`, options);
    this.#watchesLocal ||= options.engage?.local ?? this.#manager.provider === undefined;
    const { namespaces } = options;
    const permission = { kind, verbs: ['list', 'watch'], ...(namespaces && { namespaces }) };
    this.#declare(`${method}(${kind.kind})`, [permission], options.engage ?? {});
    this.#sources.push((context) => {
      const { predicates = [], engage = {}, metadataOnly = false, ...source } = options;
      if (engage.local && !this.#manager.hasLocalCluster) {
        throw new TypeError(
          `${method}(${kind.kind}): option "engage.local" needs a local cluster: set "config" of createManager to it`,
        );
      }
      // Handlers and predicates of a metadata-only watch receive only metadata.
      const watched = metadataOnly ? (partialMetadata(kind) as Kind<T>) : kind;
      return kindSource(watched, handlerFor(context), {
        ...source,
        predicates: [...context.eventFilters, ...predicates],
        clusterFilter: clusterFilterOf(engage, this.#manager),
      });
    });
    return this;
  }

  /** Records permissions. Those that do not say where they are needed are recorded for each selected origin. */
  #declare(of: string, permissions: readonly ControllerPermission[], engage: EngageOptions): void {
    for (const given of permissions) {
      const { in: origin, ...rest } = given;
      const declared = origin ? [{ ...rest, in: origin }] : selectedPermissions(engage, this.#manager, [rest]);
      checkPermissions(of, declared);
      for (const permission of declared) this.#permissions.push({ of, permission });
    }
  }

  /** Casts a handler of `ReconcileRequest`s. `build` refuses it if `R` is another type. */
  #ofRequest(handler: EventHandler<KubernetesObject>): EventHandler<KubernetesObject, R> {
    return handler as unknown as EventHandler<KubernetesObject, R>;
  }
}

/** Returns for example `Deployment.apps`, or `ConfigMap` for the core group. */
function groupKindText({ apiVersion, kind }: Kind<KubernetesObject>): string {
  const { group } = parseApiVersion(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}
