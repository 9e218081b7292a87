export { HttpProvider } from './http-provider.ts';
export type { HttpProviderOptions } from './options.ts';
