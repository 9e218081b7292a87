// A Kubernetes API server that runs in the process of its caller.
export { ApiServer } from './api-server.ts';
export { createInProcessServer } from './in-process/in-process-server.ts';
export type { InProcessServer, InProcessServerOptions } from './in-process/in-process-server.ts';
export { InitialObjectError } from './in-process/initial-object-error.ts';
export { StatusError } from './status.ts';
export type { Status, StatusCause, StatusDetails } from './status.ts';
export type { ApiServerOptions, ClusterAddress, ClusterOptions, ObjectManifest } from './protocol.ts';
export type { ClientCertificate, Command, Result } from './protocol.ts';
export type { FeatureGates } from './feature-gates.ts';
export type { ServiceAddresses } from './webhooks/service-addresses.ts';
