import { enableCompileCache } from 'node:module';

/* Entry point of the server process. */

if (!process.send)
  throw new Error('the embedded API server cannot be started directly: call createEmbeddedApiServer() of @mcr/envtest');

// Keeps the compiled code in the temporary directory of this machine, so that later starts take less time.
enableCompileCache();
await import('./serve-parent.ts');
