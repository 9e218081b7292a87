#!/usr/bin/env node

/*
 * Entry point of the program `mcr`. It checks Node.js and the installation before it loads anything that an older release or a
 * broken installation cannot load.
 */

try {
  const { checkNodeRelease } = await import('@mcr/apiserver/node-release');
  checkNodeRelease('mcr');
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(`mcr: the installation is incomplete: ${message}: install @mcr/cli again\n`);
  process.exit(1);
}
await import('./run-mcr.ts');
