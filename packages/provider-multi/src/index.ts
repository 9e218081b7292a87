export { createMultiProvider, type MultiProvider, type MultiProviderOptions } from './multi-provider.ts';
export type { ProviderStatus } from './member.ts';
