export { Backoff, backoffDelay, type BackoffOptions, type BackoffPolicy } from './clock/backoff.ts';
export * from './clock/clock.ts';
export { inTurns } from './clock/event-loop-turn.ts';
export * from './clock/or-aborted.ts';
export * from './clock/serial-calls.ts';
export { Semaphore } from './clock/semaphore.ts';
export * from './clock/until-aborted.ts';
export * from './log/logger.ts';
export {
  checkAllowedCommands,
  type AllowedArgument,
  type AllowedCommand,
  type AllowedPattern,
  type AllowedValue,
} from './config/allowed-command.ts';
export * from './errors/mcr-error.ts';
export { shortened } from './text/shortened.ts';
export * from './config/cluster-config.ts';
export * from './config/config-change.ts';
export * from './config/redaction.ts';
export { parseKubeconfig, type ParseKubeconfigOptions } from './config/kubeconfig.ts';
export * from './config/kubeconfig-contexts.ts';
export type { RestrictedClusterField, RestrictedField, RestrictedUserField } from './config/kubeconfig-policy.ts';
export * from './config/kubeconfig-error.ts';
export * from './config/load-kubeconfig.ts';
export * from './config/in-cluster-config.ts';
export * from './transport/transport.ts';
export { ChunkedBody } from './transport/chunked-body.ts';
export * from './transport/delegating-transport.ts';
export * from './errors/transport-error.ts';
export type { ListTotal, ResponseLimits, ResponsePurpose } from './transport/response-limits.ts';
export * from './transport/client-metrics.ts';
export * from './transport/create-transport.ts';
export * from './health/health-check.ts';
export * from './health/recovery-probe.ts';
export * from './kinds/draft-of.ts';
export * from './kinds/object.ts';
export * from './kinds/wire.ts';
export * from './kinds/table.ts';
export * from './kinds/kind.ts';
export * from './kinds/check-kind.ts';
export * from './kinds/check-whole-kind.ts';
export { foundText } from './options/found-text.ts';
export * from './options/duration.ts';
export { parseOptions } from './options/parse-options.ts';
export { DocumentError } from './json/document-error.ts';
export { formatJson } from './json/json.ts';
export { parseDocument } from './json/parse-document.ts';
export { OBJECT_LIMITS, type Structure } from './json/structure.ts';
export { workInTurn } from './clock/event-loop-turn.ts';
export * from './discovery/rest-mapper.ts';
export type { ServerResource } from './discovery/discovery.ts';
export * from './kinds/no-kind-match-error.ts';
export * from './kinds/builtin.ts';
export * from './kinds/builtin-platform.ts';
export type { CelRule, CrdManifest } from './kinds/crd-manifest.ts';
export { isPlainObject } from './options/plain-object.ts';
export { ownField } from './json/own-field.ts';
export {
  matchesLabels,
  parseLabelSelector,
  type LabelRequirement,
  type LabelSelector,
} from './kinds/label-selector.ts';
export { labelSelectorText, type ObjectLabelSelector } from './kinds/label-selector-text.ts';
export * from './kinds/names.ts';
export * from './kinds/resource-version.ts';
export { fnv1a64 } from './shards/fnv1a64.ts';
export { HASH_SPACE, type HashRange, type ShardField, type ShardSelector } from './shards/shard-selector.ts';
export { isShardMismatch, ShardMismatchError } from './shards/shard-mismatch-error.ts';
export type { ShardSelection } from './shards/shard-selection.ts';
export { Shard } from './shards/shard.ts';
export * from './client/client.ts';
export * from './client/create-client.ts';
export * from './client/delegating-client.ts';
export * from './client/intercept-client.ts';
export * from './client/list-pages.ts';
export * from './client/namespaced-client.ts';
export type { PackedReader } from './client/packed-reader.ts';
export type { PackedBatch } from './packed/packed-batch.ts';
export type { WatchItem } from './packed/watch-scanner.ts';
export * from './client/write-options-client.ts';
export type { Warning } from './client/warning-header.ts';
export { logWarnings, type WarningHandler } from './client/warning-transport.ts';
export * from './client/server-version.ts';
export * from './response/api-error.ts';
export { isRefusal } from './response/refusal.ts';
export * from './packed/watch-event.ts';
export * from './packed/watch-decode-error.ts';
export * from './reflector/lister-watcher.ts';
export { ListSlots, type ListSlotsOptions, type ListTurn } from './reflector/list-slots.ts';
export * from './cache/informer.ts';
export { untilSynced } from './cache/until-synced.ts';
export * from './cache/has-changed.ts';
export { decodedObject } from './cache/lazy-object.ts';
export { DistinctEvent } from './store/distinct-event.ts';
export * from './cache/handler-registration.ts';
export type { Notification } from './cache/notification.ts';
export * from './cache/cache.ts';
export type { KindCacheStats } from './cache/cache-stats.ts';
export { checkIndex } from './cache/check-index.ts';
export { checkInformerScope, informerScopeSchema } from './cache/check-informer-scope.ts';
export { indexFunction } from './store/index-extractor.ts';
export type { CacheScope, ScopeSelectors } from './cache/cache-scope.ts';
export type { CachedObjectsOptions, CacheOptions, KindCacheOptions, ReadWaitObserver } from './cache/cache-options.ts';
export { cacheKind } from './cache/cache-kind.ts';
export { cacheOptionsSchema } from './cache/cache-options.ts';
export * from './cache/create-cache.ts';
export * from './cache/cache-transform-error.ts';
export { dropFields, keepFields, type FieldPath } from './cache/field-transforms.ts';
export * from './cache/cached-client.ts';
export * from './cache/read-your-writes.ts';
export * from './cache/resync.ts';
export * from './cache/cache-not-synced-error.ts';
export * from './store/informer-stopped-error.ts';
export * from './cache/namespace-not-cached-error.ts';
export * from './events/event-recorder.ts';
export * from './events/event-broadcaster.ts';
export { failSpan, type Span, type SpanOptions, type Tracer } from './tracing/tracer.ts';
