import { parseArguments, UsageError } from './arguments.ts';
import { helpOf } from './help.ts';
import { LiveLine } from './live-line.ts';

/* The program `mcr-envtest`. */

/** Exit codes: 128 and the number of the signal, as shells report it. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

async function main(): Promise<void> {
  const args = parseArguments(process.argv.slice(2));
  if (args.command === 'help') {
    process.stdout.write(helpOf(args.about));
    return;
  }
  if (args.command === 'assets') {
    const { writeAssets } = await import('./assets.ts');
    const directory = await writeAssets(args.directory);
    process.stdout.write(`${directory}: kube-apiserver, etcd\nNext: KUBEBUILDER_ASSETS=${directory} go test ./...\n`);
    return;
  }
  const stop = new AbortController();
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      process.exitCode = code;
      stop.abort();
    });
  }
  const line = new LiveLine();
  const [{ up }, { readyJson, readyText }] = await Promise.all([import('./up.ts'), import('./ready-text.ts')]);
  try {
    await up({
      args,
      line,
      signal: stop.signal,
      onReady: (files) => {
        const bold = process.stdout.isTTY && !process.env['NO_COLOR'];
        process.stdout.write(args.json ? readyJson(files) : readyText(files, { bold }));
      },
    });
  } finally {
    line.clear();
  }
}

// A reader that has gone, such as `head`, does not end the clusters.
process.stdout.on('error', () => undefined);

main().catch((error: unknown) => {
  const { message } = error as Error;
  process.stderr.write(`mcr-envtest: ${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
