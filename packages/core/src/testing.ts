export { VirtualClock } from '@mcr/client/testing';
export * from './testing/eventually.ts';
export * from './testing/request-recorder.ts';
export { InMemoryClient, type InMemoryClientOptions } from './testing/in-memory-client.ts';
export type { InitialObject, InMemoryServerOptions } from './testing/in-memory-server.ts';
export * from './testing/in-memory-cluster.ts';
export * from './testing/permission-recorder.ts';
export type {
  MissingPermission,
  PermissionReport,
  PermissionReportOptions,
  RequiredAccess,
  UnusedPermission,
} from './testing/permission-report.ts';
