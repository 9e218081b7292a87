export { createKindBinary, type KindBinary } from './kind-binary.ts';
export type { CreateOptions, KindBinaryOptions } from './kind-binary.ts';
export { createKindClusterActuator, type KindClusterActuator } from './kind-cluster-actuator.ts';
export type { DescribedCluster, KindCluster } from './kind-cluster-actuator.ts';
export { isKindError, KindError, type KindFailure } from './kind-error.ts';
export { createKindProvider, type KindProvider } from './kind-provider.ts';
export type { KindProviderOptions } from './options.ts';
