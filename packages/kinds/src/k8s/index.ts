export { cel } from './cel.ts';
export * from './objects.ts';
export * from './server.ts';
export * from './values.ts';
