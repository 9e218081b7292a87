export { createCapiProvider, type CapiProvider } from './capi-provider.ts';
export type { CapiProviderOptions, KubeconfigContext } from './options.ts';
export type { AnyCluster, CapiCluster } from './cluster-api.ts';
export * from './cluster-resource.ts';
export type { ActuatedCluster, ActuatorContext, ClusterActuator } from './actuator.ts';
export { CLUSTER_FINALIZER, createClusterController, type ClusterControllerOptions } from './cluster-controller.ts';
