export * from './multicluster/cluster-name.ts';
export * from './multicluster/aware.ts';
export * from './multicluster/provider.ts';
export * from './multicluster/cluster-not-found-error.ts';
export * from './cluster/backoff.ts';
export type { ClusterClientOptions } from './cluster/client-options.ts';
export * from './cluster/cluster.ts';
export { clusterOptionsSchema } from './cluster/cluster-options-schema.ts';
export { createCluster, type ClusterOptions } from './cluster/create-cluster.ts';
export * from './cluster/cluster-unready-error.ts';
export * from './isolation/cluster-isolated-error.ts';
export type { BreakerState, CallType } from './isolation/breaker-state.ts';
export type { CircuitBreaker } from './isolation/circuit-breaker.ts';
export * from './cluster/info-of.ts';
export * from './cluster/inherited-options.ts';
export * from './cluster/observable-info.ts';
export * from './clusters/clusters.ts';
export type { Difference } from './clusters/membership.ts';
export * from './clusters/hub-inventory.ts';
export * from './clusters/in-memory-provider.ts';
export * from './clusters/index-registry.ts';
export * from './clusters/inventory-object.ts';
export * from './clusters/nop-provider.ts';
export * from './clusters/registry.ts';
export * from './clusters/one-run.ts';
export * from './clusters/roster.ts';
export * from './clusters/single-cluster-provider.ts';
export * from './coordinator/coordinator.ts';
export * from './coordinator/broadcast-coordinator.ts';
export * from './reconcile/request.ts';
export * from './reconcile/reconciler.ts';
export * from './reconcile/terminal-error.ts';
export * from './reconcile/panic.ts';
export * from './reconcile/cluster-not-found-wrapper.ts';
export * from './context/cluster-context.ts';
export type { LaneMode, QueueItem } from './workqueue/item.ts';
export * from './workqueue/rate-limiter.ts';
export type { AddOptions, RequestQueue } from './workqueue/request-queue.ts';
export * from './workqueue/workqueue.ts';
export * from './event/event.ts';
export * from './predicate/predicate.ts';
export * from './handler/event-handler.ts';
export * from './handler/enqueue-object.ts';
export * from './handler/enqueue-owner.ts';
export * from './handler/enqueue-mapped.ts';
export * from './handler/for-cluster.ts';
export * from './source/source.ts';
export * from './source/kind-source.ts';
export * from './source/channel-source.ts';
export * from './source/func-source.ts';
export type { Debounce, SourceTiming } from './source/source-timing.ts';
export * from './controller/controller.ts';
export * from './controller/cache-sync-timeout-error.ts';
export * from './controller/reconcile-timeout-error.ts';
export * from './builder/builder.ts';
export type { EngageOptions } from './builder/engage-options.ts';
export * from './controller/controller-options.ts';
export * from './manager/manager.ts';
export { checkProvider } from './manager/check-arguments.ts';
export { Claims, partText } from './manager/claims.ts';
export * from './manager/limited-manager.ts';
export * from './manager/runnable.ts';
export * from './manager/create-manager.ts';
export * from './manager/with-multi-cluster.ts';
export * from './manager/shutdown-signal.ts';
export type { LeaderElectionOptions } from './leader-election/leader-election-options.ts';
export * from './leader-election/leader-election-lost-error.ts';
export type { HealthCheck } from './health/health-endpoint.ts';
export type { HttpHandler } from './http/http-server.ts';
export type { ServingCertificateFiles } from './http/serving-certificate.ts';
export * from './metrics/metrics.ts';
export * from './metrics/controller-metrics.ts';
export * from './fleet/fleet.ts';
export { draftOf, type Writable } from './object/draft-of.ts';
export type { Mutable, Mutate, WriteOutcome } from './object/mutation.ts';
export { createOrUpdate } from './object/create-or-update.ts';
export { createOrPatch } from './object/create-or-patch.ts';
export { retryOnConflict, type ConflictOptions } from './object/retry-on-conflict.ts';
export * from './owner/already-owned-error.ts';
export * from './owner/invalid-owner-error.ts';
export { openHome, type Home, type Owner } from './owner/home.ts';
export { homeClient, homeReader } from './owner/home-client.ts';
export * from './owner/owner-reference.ts';
export * from './finalizer/finalizer.ts';
export * from './finalizer/finalizers.ts';
export * from './condition/condition.ts';
export * from './log/create-logger.ts';
export { terminalText } from './log/terminal-text.ts';

/* What authors of controllers and providers need of `@mcr/client`, so that one import line is enough. */
export {
  ApiError,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CoreEvent,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
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
