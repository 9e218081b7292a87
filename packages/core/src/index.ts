export * from './fleet/multicluster/cluster-name.ts';
export * from './fleet/multicluster/aware.ts';
export * from './manager/provider.ts';
export * from './fleet/multicluster/cluster-not-found-error.ts';
export type { ClusterClientOptions } from './fleet/cluster/client-options.ts';
export * from './fleet/cluster/cluster.ts';
export { clusterOptionsSchema } from './fleet/cluster/cluster-options-schema.ts';
export { createCluster, type ClusterOptions } from './fleet/cluster/create-cluster.ts';
export * from './fleet/cluster/cluster-unready-error.ts';
export * from './fleet/isolation/cluster-isolated-error.ts';
export type { BreakerState, CallType } from './fleet/isolation/breaker-state.ts';
export type { CircuitBreaker } from './fleet/isolation/circuit-breaker.ts';
export * from './provider/info-of.ts';
export * from './provider/inherited-options.ts';
export * from './fleet/cluster/observable-info.ts';
export * from './fleet/clusters/clusters.ts';
export type { Difference } from './fleet/clusters/cluster-lifecycle.ts';
export * from './provider/base-provider.ts';
export type {
  BaseProviderOptions,
  DiscoveredCluster,
  DiscoveredClusters,
  DiscoveredClustersOptions,
  Discovery,
} from './provider/discovered-clusters.ts';
export * from './provider/hub-provider.ts';
export { InMemoryProvider } from './provider/in-memory-provider.ts';
export * from './fleet/clusters/index-registry.ts';
export * from './provider/inventory-object.ts';
export { createNopProvider, type NopProvider } from './provider/nop-provider.ts';
export * from './manager/engaged-clusters.ts';
export * from './provider/one-run.ts';
export { createSingleClusterProvider, type SingleClusterProvider } from './provider/single-cluster-provider.ts';
export * from './fleet/coordinator/coordinator.ts';
export * from './fleet/coordinator/broadcast-coordinator.ts';
export * from './controller/reconcile/request.ts';
export * from './controller/reconcile/reconciler.ts';
export * from './controller/reconcile/terminal-error.ts';
export * from './errors/panic.ts';
export * from './controller/reconcile/cluster-not-found-wrapper.ts';
export * from './fleet/multicluster/cluster-context.ts';
export * from './controller/context/single-cluster-reconciler.ts';
export type { LaneMode, QueueItem } from './controller/workqueue/item.ts';
export * from './controller/workqueue/rate-limiter.ts';
export type { AddOptions, RequestQueue } from './controller/workqueue/request-queue.ts';
export * from './controller/workqueue/workqueue.ts';
export * from './controller/event/event.ts';
export * from './controller/predicate/predicate.ts';
export * from './controller/handler/event-handler.ts';
export * from './controller/handler/enqueue-object.ts';
export * from './controller/handler/enqueue-owner.ts';
export * from './controller/handler/enqueue-mapped.ts';
export * from './controller/handler/for-cluster.ts';
export * from './controller/source/source.ts';
export * from './controller/source/kind-source.ts';
export * from './controller/source/channel-source.ts';
export * from './controller/source/func-source.ts';
export type { Debounce, SourceTiming } from './controller/source/source-timing.ts';
export * from './controller/controller.ts';
export * from './controller/cache-sync-timeout-error.ts';
export * from './controller/reconcile-timeout-error.ts';
export * from './controller/builder/builder.ts';
export type { EngageOptions } from './controller/builder/engage-options.ts';
export * from './options/controller-options.ts';
export * from './manager/manager.ts';
export { checkProvider } from './manager/check-arguments.ts';
export { Claims, partText } from './manager/claims.ts';
export * from './manager/limited-manager.ts';
export * from './manager/runnable.ts';
export * from './manager/create-manager.ts';
export * from './manager/with-multi-cluster.ts';
export * from './manager/shutdown-signal.ts';
export type { LeaderElectionOptions } from './manager/leader-election/leader-election-options.ts';
export * from './manager/leader-election/leader-election-lost-error.ts';
export type { HealthCheck } from './manager/health/health-endpoint.ts';
export type { HttpHandler } from './manager/http/http-server.ts';
export type { ServingCertificateFiles } from './manager/http/serving-certificate.ts';
export * from './manager/metrics/metrics.ts';
export * from './manager/metrics/controller-metrics.ts';
export * from './fleet/status/fleet.ts';
export { draftOf, type Writable } from './objects/mutation/draft-of.ts';
export type { Mutable, Mutate, WriteOutcome } from './objects/mutation/mutation.ts';
export { createOrUpdate } from './objects/mutation/create-or-update.ts';
export { createOrPatch } from './objects/mutation/create-or-patch.ts';
export { retryOnConflict, type ConflictOptions } from './objects/mutation/retry-on-conflict.ts';
export * from './objects/owner/already-owned-error.ts';
export * from './objects/owner/invalid-owner-error.ts';
export { openHome, type Home, type Owner } from './objects/owner/home.ts';
export { homeClient, homeReader } from './objects/owner/home-client.ts';
export * from './objects/owner/owner-reference.ts';
export * from './objects/finalizer/finalizer.ts';
export * from './objects/finalizer/finalizers.ts';
export * from './objects/condition/condition.ts';
export * from './log/create-logger.ts';
export { terminalText } from './log/terminal-text.ts';

/* Exports of `@mcr/client` for authors of controllers and providers, so that one import is enough. */
export {
  ApiError,
  Backoff,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CoreEvent,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  ERROR_BRAND,
  EndpointSlice,
  Endpoints,
  Event,
  Eviction,
  HandlerRegistration,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  KubeconfigError,
  Lease,
  LimitRange,
  ListSlots,
  McrError,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  ResourceQuota,
  Role,
  RoleBinding,
  Scale,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  TransportError,
  ValidatingWebhookConfiguration,
  configChange,
  configsEqual,
  checkAllowedCommands,
  checkKind,
  createClient,
  dataKeySchema,
  defineKind,
  dropFields,
  dryRunClient,
  foundText,
  hasBrand,
  inClusterConfig,
  interceptClient,
  isAlreadyExists,
  isApiError,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isKubeconfigError,
  isNoKindMatch,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
  keepFields,
  kindText,
  labelKeySchema,
  labelSelectorSchema,
  labelValueSchema,
  listPages,
  loadKubeconfig,
  matchesLabels,
  namespaceSchema,
  namespacedClient,
  nonNegativeMilliseconds,
  objectKeyText,
  objectNameSchema,
  orAborted,
  parseApiVersion,
  parseKubeconfig,
  parseKubeconfigContexts,
  parseLabelSelector,
  parseOptions,
  partialMetadata,
  positiveMilliseconds,
  shortened,
  silentLogger,
  sleep,
  systemClock,
  untilAborted,
  withFieldManager,
  withFieldValidation,
} from '@mcr/client';
export type {
  AllowedArgument,
  AllowedCommand,
  AllowedPattern,
  AllowedValue,
  ApiClient,
  ApplyConfiguration,
  ApplyOptions,
  BackoffOptions,
  BackoffPolicy,
  Cache,
  CallOptions,
  Client,
  ClientHooks,
  Clock,
  ClusterConfig,
  DeepReadonly,
  DeleteCollectionOptions,
  DeleteOptions,
  Draft,
  EventDetails,
  EventRecorder,
  FieldIndexer,
  GetOptions,
  IndexExtractor,
  IndexLookup,
  Informer,
  InformerHandler,
  InformerScope,
  Kind,
  KubernetesList,
  KubernetesObject,
  ListOptions,
  LogFields,
  Logger,
  Notification,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  PatchType,
  Reader,
  ReadonlyStore,
  Recovered,
  Registration,
  RestMapper,
  RestMapping,
  ServerResource,
  Span,
  SpanOptions,
  StatusWriter,
  SubresourceClient,
  Subscription,
  Table,
  TableOptions,
  Timer,
  Tracer,
  Warning,
  WarningHandler,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  Writer,
} from '@mcr/client';
