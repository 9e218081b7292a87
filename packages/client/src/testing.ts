export * from './clock/virtual-clock.ts';
export { deepFreeze } from './json/deep-freeze.ts';
export { indexLookups } from './cache/list-from-store.ts';
export { unknownIndex } from './store/unknown-index.ts';
