export { createFileProvider, type FileProvider } from './file-provider.ts';
export type { FileProviderOptions } from './options.ts';
