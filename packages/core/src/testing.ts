export { VirtualClock } from '@mcr/client/testing';
export * from './testing/eventually.ts';
export * from './testing/request-recorder.ts';
export * from './testing/in-memory-client.ts';
export * from './testing/in-memory-cluster.ts';
