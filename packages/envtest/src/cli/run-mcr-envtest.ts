import { CommanderError } from 'commander';
import { envtestProgram, type UpOptions } from './envtest-program.ts';
import { LiveLine } from './live-line.ts';

/* The program `mcr-envtest`. */

/** Exit codes: 128 and the number of the signal, as shells report it. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const program = envtestProgram({
  async up(options: UpOptions) {
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
        options,
        line,
        signal: stop.signal,
        onReady: (files) => {
          const bold = process.stdout.isTTY && !process.env['NO_COLOR'];
          process.stdout.write(options.json ? readyJson(files) : readyText(files, { bold }));
        },
      });
    } finally {
      line.clear();
    }
  },
  async assets(directory) {
    const { writeAssets } = await import('./assets.ts');
    const written = await writeAssets(directory);
    process.stdout.write(`${written}: kube-apiserver, etcd\nNext: KUBEBUILDER_ASSETS=${written} go test ./...\n`);
  },
});

// A reader that has gone, such as `head`, does not end the clusters.
process.stdout.on('error', () => undefined);

const args = process.argv.slice(2);
program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' }).catch((error: unknown) => {
  // The help, or wrong arguments. It is already printed.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`mcr-envtest: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
});
