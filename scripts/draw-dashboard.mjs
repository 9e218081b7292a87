// Writes the picture of the fleet page to docs/images/dashboard.png: node scripts/draw-dashboard.mjs. It needs Chromium.
import { join } from 'node:path';
import process from 'node:process';
import { root } from './published-packages.mjs';
import { node, run } from './steps.mjs';

const program = join(root, 'e2e/src/dashboard/draw-picture.ts');
const command = [node, '--disable-warning=ExperimentalWarning', '--conditions=@mcr/source', program];
process.exitCode = await run(command, { output: 'inherit' });
