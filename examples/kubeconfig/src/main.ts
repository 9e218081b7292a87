import { type Arguments, parseArguments, usage } from './arguments.ts';
import { compile } from './progress.ts';

/** Packages that the programs import. Node.js compiles their sources at the first run. */
const PACKAGES = [
  () => import('@mcr/core'),
  () => import('@mcr/core/provider'),
  () => import('@mcr/core/testing'),
  () => import('@mcr/envtest'),
  () => import('@mcr/provider-kubeconfig'),
];

const parsed = parseArguments(process.argv.slice(2));
switch (parsed.mode) {
  case 'help':
    console.log(usage);
    break;
  case 'invalid':
    console.error(`${parsed.message}\n\n${usage}`);
    process.exitCode = 2;
    break;
  case 'demo':
    process.exitCode = await orMessage(demo(parsed));
    break;
  case 'hub':
    process.exitCode = await orMessage(hub(parsed));
    break;
}

async function demo(options: Extract<Arguments, { mode: 'demo' }>): Promise<number> {
  // Programs that read the document may take any text on standard error for a failure.
  if (options.output === 'story') await compile(PACKAGES);
  const { runDemo } = await import('./demo.ts');
  return runDemo(options);
}

async function hub(options: Extract<Arguments, { mode: 'hub' }>): Promise<number> {
  const { runOnHub } = await import('./own-hub.ts');
  return runOnHub(options);
}

/** Resolves with the exit code. If `code` rejects, prints the error in one line and resolves with 1. */
async function orMessage(code: Promise<number>): Promise<number> {
  try {
    return await code;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}
