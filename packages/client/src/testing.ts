export * from './clock/virtual-clock.ts';
export { deepFreeze } from './json/deep-freeze.ts';
export { listFromStore } from './cache/list-from-store.ts';
export { Store, type IndexFailureHandler, type Replaced } from './cache/store.ts';
