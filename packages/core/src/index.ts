/* Manager */
export * from './manager/create-manager.ts';
export type { HealthOptions, ManagerOptions, MetricsOptions } from './manager/manager-options.ts';
export * from './manager/manager.ts';
export * from './manager/with-multi-cluster.ts';
export * from './manager/runnable.ts';
export * from './manager/shutdown-signal.ts';
export type { HealthCheck } from './manager/health/health-check.ts';
export type { HttpHandler, MetricsHandlerOptions } from './manager/http/http-handler.ts';
export type { ServingCertificateFiles } from './manager/http/serving-certificate.ts';
export type { LeaderElectionOptions } from './manager/leader-election/leader-election-options.ts';
export * from './manager/leader-election/leader-election-lost-error.ts';
export * from './manager/metrics/metrics.ts';
export type { MeasuredCache } from './manager/metrics/cache-figures.ts';
export * from './manager/metrics/controller-metrics.ts';
export * from './manager/metrics/webhook-metrics.ts';
export * from './log/create-logger.ts';

/* Controllers */
export * from './controller/builder/builder.ts';
export type { EngageOptions } from './controller/builder/engage-options.ts';
export * from './controller/controller.ts';
export * from './controller/create-controller.ts';
export type { ShardBy } from './controller/sharded/shard-by.ts';
export type { ControllerDefaults, ControllerOptions } from './options/controller-options.ts';
export * from './controller/cache-sync-timeout-error.ts';

/* Placement */
export { desired } from './controller/placement/placement-options.ts';
export type { DesiredObject, PlacementCluster, PlacementOptions } from './controller/placement/placement-options.ts';
export type { PlacementClusterStatus, PlacementStatus } from './controller/placement/placement-status.ts';

/* Reconcilers */
export * from './controller/reconcile/reconciler.ts';
export * from './controller/reconcile/request.ts';
export * from './controller/reconcile/terminal-error.ts';
export * from './controller/reconcile/cluster-not-found-wrapper.ts';
export * from './controller/context/single-cluster-reconciler.ts';
export * from './controller/reconcile-timeout-error.ts';
export * from './errors/panic.ts';

/* Sources, events, handlers and predicates */
export * from './controller/source/source.ts';
export * from './controller/source/kind-source.ts';
export * from './controller/source/cluster-source.ts';
export * from './controller/source/channel-source.ts';
export * from './controller/source/func-source.ts';
export type { Debounce, SourceTiming } from './controller/source/source-timing.ts';
export * from './controller/event/event.ts';
export * from './controller/event/cluster-event.ts';
export * from './controller/event/object-event.ts';
export * from './controller/handler/event-handler.ts';
export * from './controller/handler/enqueue-object.ts';
export * from './controller/handler/enqueue-owner.ts';
export * from './controller/handler/enqueue-fleet-owner.ts';
export * from './controller/handler/enqueue-mapped.ts';
/** Handlers that change the cluster of requests. */
export * as handlers from './controller/handler/for-cluster.ts';
export * from './controller/predicate/predicate.ts';
/** Predicates of watches. */
export * as predicates from './controller/predicate/predicates.ts';

/* Workqueue */
export * from './controller/workqueue/workqueue.ts';
export type { AddOptions, RequestQueue } from './controller/workqueue/request-queue.ts';
export type { LaneMode, QueueItem } from './controller/workqueue/item.ts';
export * from './controller/workqueue/rate-limiter.ts';
/** Rate limiters of workqueues. */
export * as rateLimiters from './controller/workqueue/rate-limiters.ts';

/* Fleet */
export * from './fleet/cluster/cluster.ts';
export { createCluster } from './fleet/cluster/create-cluster.ts';
export type { ClusterOptions } from './fleet/cluster/cluster-options.ts';
export type { ClusterClientOptions } from './fleet/cluster/client-options.ts';
export * from './fleet/cluster/cluster-unready-error.ts';
export * from './fleet/isolation/cluster-isolated-error.ts';
export * from './fleet/multicluster/aware.ts';
export * from './fleet/multicluster/cluster-name.ts';
export * from './fleet/multicluster/cluster-context.ts';
export * from './fleet/multicluster/cluster-not-found-error.ts';
export * from './fleet/multicluster/not-owner-error.ts';
export * from './fleet/multicluster/ownership.ts';
export * from './fleet/multicluster/slot-ownership.ts';
export { WriteFence, type WriteFenceOptions, type FencedWrite } from './fleet/fence/write-fence.ts';
export type { ShardingOptions } from './sharding/sharding-options.ts';
export type { ShardingStatus } from './sharding/sharding.ts';
export * from './fleet/status/fleet.ts';
export * from './reader/fleet-reader.ts';
export type { FleetCoverage, MissingCluster, NotOwnedCluster, StaleCluster } from './reader/fleet-coverage.ts';
export type { FleetObject } from './reader/fleet-object.ts';
export type { FleetEvent, FleetWatchOptions } from './reader/fleet-watch.ts';
export type { ObjectSelection } from './reader/object-selection.ts';
export * from './fleet/coordinator/coordinator.ts';
export * from './fleet/coordinator/broadcast-coordinator.ts';
export * from './manager/engaged-clusters.ts';
export * from './manager/provider.ts';
export type { DeclaredPermission, Permission, SourcePermission } from './permissions/permission.ts';
export type { Permissions } from './permissions/permissions.ts';
export { InMemoryProvider } from './provider/in-memory-provider.ts';
export { createNopProvider, type NopProvider } from './provider/nop-provider.ts';
export { createSingleClusterProvider, type SingleClusterProvider } from './provider/single-cluster-provider.ts';

/* CustomResourceDefinitions */
export { ensureCrds, type EnsureCrdsOptions } from './crds/ensure-crds.ts';
export type { CelRule, CrdManifest } from '@mcr/client';
export type { LossyChange } from './crds/definition-state.ts';

/* Objects */
export type { Mutable, Mutate, WriteOutcome } from './objects/mutation/mutation.ts';
export { createOrUpdate } from './objects/mutation/create-or-update.ts';
export { createOrPatch } from './objects/mutation/create-or-patch.ts';
export { retryOnConflict, type ConflictOptions } from './objects/mutation/retry-on-conflict.ts';
export type { Owner } from './objects/owner/home.ts';
export * from './objects/owner/owner-reference.ts';
export * from './objects/owner/already-owned-error.ts';
export * from './objects/owner/invalid-owner-error.ts';
export type { FleetOwner, FleetOwnerOptions } from './objects/fleet-owner/fleet-owner.ts';
export {
  FLEET_OWNER_ANNOTATION,
  FLEET_OWNER_LABEL,
  fleetOwner,
  fleetOwnerLabel,
  fleetOwnerOf,
  removeFleetOwner,
  setFleetOwner,
} from './objects/fleet-owner/fleet-owner.ts';
export * from './objects/fleet-owner/fleet-owned-error.ts';
export * from './objects/fleet-owner/fleet-hub-id.ts';
export { deleteFleetOwned } from './objects/fleet-owner/delete-fleet-owned.ts';
export type { DeleteFleetOwnedOptions, MemberAccess } from './objects/fleet-owner/delete-fleet-owned.ts';
export * from './objects/finalizer/finalizer.ts';
export * from './objects/finalizer/finalizers.ts';
export * from './objects/condition/condition.ts';
export * from './objects/scaled-value/scaled-value.ts';

/* Kinds of `@mcr/client` */
export {
  APIService,
  Binding,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CoreV1Event,
  CronJob,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  DeviceClass,
  Endpoints,
  EndpointSlice,
  EventsV1Event,
  Eviction,
  FlowSchema,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  IPAddress,
  Job,
  Lease,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  Role,
  RoleBinding,
  RuntimeClass,
  Scale,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@mcr/client';

/* Clients, caches and configuration of `@mcr/client` */
export {
  ApiError,
  CacheNotSyncedError,
  CacheTransformError,
  InformerStoppedError,
  NamespaceNotCachedError,
  cacheKind,
  NoKindMatchError,
  WatchDecodeError,
  createClient,
  defineKind,
  draftOf,
  dropFields,
  dryRunClient,
  fnv1a64,
  inClusterConfig,
  interceptClient,
  isAlreadyExists,
  isApiError,
  isCacheNotSynced,
  isConflict,
  isForbidden,
  isGone,
  isInformerStopped,
  isInvalid,
  isKubeconfigError,
  isNamespaceNotCached,
  isNoKindMatch,
  isNotFound,
  isRefusal,
  isShardMismatch,
  isTimeout,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
  keepFields,
  KubeconfigError,
  labelSelectorText,
  listPages,
  loadKubeconfig,
  matchesLabels,
  namespacedClient,
  parseKubeconfig,
  parseLabelSelector,
  partialMetadata,
  Shard,
  ShardMismatchError,
  silentLogger,
  sleep,
  systemClock,
  TransportError,
  untilSynced,
  withFieldManager,
  withFieldValidation,
} from '@mcr/client';
export type {
  ApiClient,
  ApiErrorOptions,
  ApplyConfiguration,
  ApplyOptions,
  Auth,
  AuthProviderAuth,
  BasicAuth,
  Bookmark,
  BuiltIn,
  Cache,
  CachedObjectsOptions,
  CacheOptions,
  CacheScope,
  CallOptions,
  Client,
  ClientHooks,
  ClientMetrics,
  ClientOptions,
  Clock,
  ClusterConfig,
  ComparedField,
  CustomAuth,
  DeepPartial,
  DeepReadonly,
  DeleteCollectionOptions,
  DeleteOptions,
  DeletionOptions,
  Draft,
  EndpointRules,
  EventDetails,
  EventRecorder,
  ExecAuth,
  FieldIndexer,
  FieldPath,
  GetOptions,
  HashRange,
  Hyphenated,
  Impersonation,
  InClusterOptions,
  IndexExtractor,
  IndexPath,
  IndexLookup,
  Informer,
  InformerAddEvent,
  InformerDeleteEvent,
  InformerEvent,
  InformerHandler,
  InformerLeaveEvent,
  InformerScope,
  InformerUpdateEvent,
  Kind,
  KindCacheOptions,
  KindCacheStats,
  KindDefinition,
  KubeconfigErrorOptions,
  KubernetesList,
  KubernetesObject,
  LabelRequirement,
  LabelSelector,
  LazyObject,
  ListOptions,
  ListTotal,
  LoadKubeconfigOptions,
  LogFields,
  Logger,
  MeasuredRequest,
  Notification,
  ObjectKey,
  ObjectLabelSelector,
  ObjectMeta,
  ObjectOf,
  ObjectWith,
  ObjectSchema,
  OwnerReference,
  PackedBatch,
  PackedReader,
  ParseKubeconfigOptions,
  PatchType,
  PingResult,
  ProxyAuth,
  Reader,
  ReadonlyStore,
  ReadWaitObserver,
  Recovered,
  Recovery,
  Registration,
  ResponseLimits,
  ResponsePurpose,
  RestMapper,
  RestMapping,
  RestrictedClusterField,
  RestrictedField,
  RestrictedUserField,
  Scope,
  ScopeSelectors,
  ServerResource,
  ShardField,
  ShardSelection,
  ShardSelector,
  Span,
  SpanOptions,
  Status,
  StatusCause,
  StatusDetails,
  StatusWriter,
  SubresourceClient,
  Subscription,
  Table,
  TableColumn,
  TableOptions,
  TableRow,
  Timer,
  TlsConfig,
  TokenAuth,
  TokenFileAuth,
  Tracer,
  Transport,
  TransportErrorCode,
  TransportErrorOptions,
  TransportRequest,
  TransportResponse,
  Warning,
  WarningHandler,
  WatchEvent,
  WatchItem,
  WatchOptions,
  Wire,
  WireName,
  Writable,
  WriteOptions,
  Writer,
} from '@mcr/client';
