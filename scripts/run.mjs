// Runs one of the project's own commands in a fresh clone with only Node.js (20 or later) and npm: installs
// dependencies, builds packages if the command needs them, then runs it on the pinned Node.js. Skips steps whose input
// has not changed.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root } from './published-packages.mjs';
import { build, install, node, run } from './steps.mjs';

/** Packages resolve to their TypeScript sources, which Node.js runs without a build. */
const FROM_SOURCES = '--conditions=@mcr/source';
/**
 * Each test file loads its own modules: a large young generation saves a tenth of the time. The compilation cache of V8 would
 * keep the modules of the files that have ended, and collections of garbage would take much of the time.
 */
const jest = [
  ...['--max-semi-space-size=64', '--no-compilation-cache', '--experimental-vm-modules'],
  'node_modules/jest/bin/jest.js',
];

/** Arguments of `node` for each command. `needsBuild` is set if the command uses the built packages. */
const commands = {
  demo: { argv: (args) => [FROM_SOURCES, 'examples/kubeconfig/src/main.ts', ...args] },
  example: { argv: ([program, ...args]) => [FROM_SOURCES, exampleFile(program), ...args] },
  test: { argv: (args) => [...jest, ...args] },
  e2e: { argv: (args) => [FROM_SOURCES, 'e2e/src/cli/main.ts', ...args] },
  site: { argv: (args) => ['scripts/site.mjs', ...args] },
  build: { argv: () => undefined, needsBuild: true },
};

const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(commands, name ?? '')) {
  usage(`node scripts/run.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
}
const { argv: argvOf, needsBuild = false } = commands[name];
const argv = argvOf(rest);

// Relative paths in arguments are relative to the caller's directory; commands run at the root of the repository.
process.env.INIT_CWD ??= process.cwd();
await install();
if (needsBuild) await build();
if (argv) {
  // Compiled sources are kept for the next run, and for the programs that tests start.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.mcr', 'compile');
  const command = [node, '--disable-warning=ExperimentalWarning', ...argv];
  process.exitCode = await run(command, { output: 'inherit' });
}

/** Returns the source of a program: `main` for `capi`, or `single-cluster` for `namespace-quota/single-cluster`. */
function exampleFile(program = '') {
  const [directory, file = 'main'] = program.split('/');
  const source = (example, main) => `examples/${example}/src/${main}.ts`;
  if (!existsSync(join(root, source(directory, file)))) {
    const examples = readdirSync(join(root, 'examples')).filter((entry) =>
      existsSync(join(root, source(entry, 'main'))),
    );
    usage(`npm run example -- ${examples.join(' | ')}`);
  }
  return source(directory, file);
}

function usage(text) {
  console.error(`usage: ${text}`);
  process.exit(2);
}
