/* Base classes */
export * from './provider/base-provider.ts';
export * from './provider/hub-provider.ts';
export type {
  BaseProviderOptions,
  DiscoveredCluster,
  DiscoveredClusters,
  DiscoveredClustersOptions,
  Discovery,
} from './provider/discovered-clusters.ts';

/* Inventory objects */
export * from './provider/info-of.ts';
export * from './provider/inventory-object.ts';

/* Providers without a base class, and providers that combine others */
export * from './fleet/clusters/cluster-declaration.ts';
export * from './fleet/clusters/clusters.ts';
export type { Difference } from './fleet/clusters/cluster-lifecycle.ts';
export * from './fleet/clusters/index-registry.ts';
export * from './provider/inherited-options.ts';
export * from './provider/one-run.ts';
export { Claims, partText } from './manager/claims.ts';
export { limitedManager } from './manager/limited-manager.ts';
export { checkProvider } from './manager/check-arguments.ts';

/* Implementations of `Cluster` */
export * from './fleet/cluster/observable-info.ts';
export { fencedClient } from './fleet/fence/fenced-client.ts';
export { openHome, type Home } from './objects/owner/home.ts';
export { homeClient, homeReader } from './objects/owner/home-client.ts';
export type {
  BreakerClosed,
  BreakerHalfOpen,
  BreakerHistory,
  BreakerParked,
  BreakerSlow,
  BreakerState,
  CallType,
} from './fleet/isolation/breaker-state.ts';
export type { BreakerListener, CircuitBreaker, CircuitBreakerOptions } from './fleet/isolation/circuit-breaker.ts';
export type {
  CallEnd,
  CallObserver,
  CallScope,
  PendingCall,
  PendingCallOptions,
} from './fleet/isolation/pending-call.ts';

/* Tasks of each cluster */
export { withPermissionAdvice } from './manager/permission-advice.ts';
export {
  clusterFilterOf,
  engageOptionsSchema,
  selectedOrigins,
  selectedPermissions,
} from './controller/builder/engage-options.ts';
export {
  createClusterUpkeep,
  type ClusterUpkeep,
  type ClusterUpkeepOptions,
  type UpkeepTask,
} from './manager/cluster-upkeep.ts';

/* Permissions */
export { pluralOf } from './permissions/permission.ts';

/* Servers */
export { type BindAddress, parseBindAddress } from './manager/http/bind-address.ts';
export { FollowedFiles, type FilesListener, type FollowedFilesOptions } from './manager/http/followed-files.ts';
export { ServingCertificate, type ServingCertificateOptions } from './manager/http/serving-certificate.ts';

/* Options and texts */
export { clusterOptionsSchema } from './fleet/cluster/cluster-options.ts';
export { similarText } from './log/similar-text.ts';
export { terminalText } from './log/terminal-text.ts';
export {
  Backoff,
  checkAllowedCommands,
  checkIndex,
  checkInformerScope,
  checkKind,
  configChange,
  configsEqual,
  createDialer,
  createTransport,
  dataKeySchema,
  decodedObject,
  DistinctEvent,
  DocumentError,
  ERROR_BRAND,
  formatJson,
  foundText,
  HandlerRegistration,
  hasBrand,
  hasChanged,
  humanDuration,
  indexFunction,
  keyOf,
  kindText,
  labelKeySchema,
  labelSelectorSchema,
  labelValueSchema,
  ListSlots,
  matchesLabels,
  McrError,
  namespaceSchema,
  nonNegativeMilliseconds,
  objectKeyText,
  OBJECT_LIMITS,
  objectNameSchema,
  orAborted,
  ownField,
  parseApiVersion,
  parseDocument,
  parseKubeconfigContexts,
  parseLabelSelector,
  parseOptions,
  positiveMilliseconds,
  shortened,
  untilAborted,
  workInTurn,
} from '@mcr/client';
export type {
  AllowedArgument,
  AllowedCommand,
  AllowedPattern,
  AllowedValue,
  BackoffOptions,
  BackoffPolicy,
  ConfigChange,
  DialedConnection,
  Dialer,
  DialerOptions,
  GroupVersion,
  HandlerRegistrationOptions,
  ListSlotsOptions,
  ListTurn,
  Semaphore,
  Structure,
  TransportOptions,
} from '@mcr/client';
