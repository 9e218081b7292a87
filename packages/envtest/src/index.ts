export { findAssets } from './binaries/assets.ts';
export type { Assets } from './binaries/assets.ts';
export { isUnsupportedBackend, UnsupportedBackendError } from './backend.ts';
export type { Backend } from './backend.ts';
export { createControlPlane } from './create-control-plane.ts';
export type {
  ControlPlane,
  ControlPlaneOptions,
  CredentialOwner,
  SeedObject,
  ThrottleOptions,
} from './control-plane.ts';
export { createEmbeddedApiServer, type EmbeddedApiServer } from './embedded-api-server.ts';
export type { EmbeddedApiServerOptions, EmbeddedClusterOptions } from './embedded-api-server.ts';
export type { FeatureGates, ObjectManifest, ServiceAddresses } from '@mcr/apiserver';
export { createEmbeddedClusterActuator, type EmbeddedClusterActuator } from './embedded-cluster-actuator.ts';
export type { DescribedCluster, EmbeddedCluster } from './embedded-cluster-actuator.ts';
export { createFaultProxy, type FaultProxy } from './fault-proxy/fault-proxy.ts';
export type { FaultProxyOptions } from './fault-proxy/fault-proxy.ts';
export * from './fault-proxy/fault-rule.ts';
export { Random } from './fault-proxy/random.ts';
export type { Injection } from './fault-proxy/rulebook.ts';
export { createControlPlaneFleet } from './fleet.ts';
export type { ControlPlaneFleet, FleetOptions } from './fleet.ts';
export type { InstallOptions } from './install/installation.ts';
export type { LocalWebhooks, WebhookOptions } from './install/local-webhooks.ts';
export type { Credentials } from './kubeconfig.ts';
export { createKindStandIn, type KindStandIn } from './kind/stand-in.ts';
export * from './serving-identity.ts';
export * from './unsupported-operation-error.ts';
