export * from './clock/virtual-clock.ts';
export { deepFreeze } from './cache/freeze.ts';
