import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/* The build puts the value into `dist`. In the repository, the module reads it when it is imported. */

const file = join(import.meta.dirname, '..', '..', 'package.json');
/** Version of `@mcr/cli`. */
export const VERSION: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
