export { FileProvider } from './file-provider.ts';
export type { FileProviderOptions } from './options.ts';
