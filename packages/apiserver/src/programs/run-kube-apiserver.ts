import { enableCompileCache } from 'node:module';
import { FlagError, helpOf, parseFlags } from './flags.ts';
import { NAMES, SECTIONS } from './kube-apiserver-flags.ts';
import { readSettings } from './kube-apiserver-settings.ts';

/* The program `kube-apiserver`: the embedded API server behind the flags of the real one. */

const ABOUT = 'The embedded Kubernetes API server of @mcr/apiserver, for tests.';

function log(message: string): void {
  process.stderr.write(`kube-apiserver: ${message}\n`);
}

async function run(args: readonly string[]): Promise<void> {
  const flags = parseFlags(args, NAMES);
  if (flags.has('help')) {
    process.stdout.write(helpOf('kube-apiserver', ABOUT, SECTIONS));
    return;
  }
  if (flags.has('version')) {
    const { VERSION } = await import('../discovery/version.ts');
    process.stdout.write(`Kubernetes ${VERSION.gitVersion}\n`);
    return;
  }
  const settings = readSettings(flags);
  for (const warning of settings.warnings) log(`warning: ${warning}`);
  // Loading the server takes most of the start: help and wrong flags do not wait for it. Compiled code is kept for later
  // starts in the temporary directory of this machine.
  enableCompileCache();
  const { serve } = await import('./serve.ts');
  await serve(settings, log);
}

// A parent that stops reading the log does not end the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

run(process.argv.slice(2)).catch((error: unknown) => {
  log(
    error instanceof FlagError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error),
  );
  process.exit(1);
});
