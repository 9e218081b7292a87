export { KindBinary } from './kind-binary.ts';
export type { CreateOptions, KindBinaryOptions } from './kind-binary.ts';
export { isKindError, KindError } from './kind-error.ts';
export { KindProvider } from './kind-provider.ts';
export type { KindProviderOptions } from './options.ts';
