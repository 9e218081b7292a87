export { cel } from './cel.ts';
export * from './objects.ts';
export * from './values.ts';
