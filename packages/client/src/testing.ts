export * from './clock/virtual-clock.ts';
export { deepFreeze } from './cache/freeze.ts';
export { listFromStore } from './cache/list-from-store.ts';
export { Store, type IndexFailureHandler, type Replaced } from './cache/store.ts';
