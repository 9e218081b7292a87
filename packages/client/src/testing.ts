export * from './clock/virtual-clock.ts';
export { checkCallOptions, type CallKind } from './client/call-arguments.ts';
export { deepFreeze } from './json/deep-freeze.ts';
export { listFromStore, type ListedStore, type ListSource } from './cache/list-from-store.ts';
export type { ReadLimit, Selected, StoreQuery } from './store/selection.ts';
export { unknownIndex } from './store/unknown-index.ts';
