import { parseArguments, usage } from './arguments.ts';
import { runDemo } from './demo.ts';
import { runOnHub } from './own-hub.ts';

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
    process.exitCode = await orMessage(runDemo(parsed));
    break;
  case 'hub':
    process.exitCode = await orMessage(runOnHub(parsed));
    break;
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
