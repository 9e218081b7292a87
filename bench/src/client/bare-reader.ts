import type { Program } from '../program.ts';
import { startProgram } from '../program.ts';
import type { CannedServer } from '../server/canned-server.ts';
import type { BareReaderCommands } from './bare-reader-program.ts';

/** A separate process that watches all kinds of a server and drops what it reads. */
export async function startBareReader({ config, sample }: CannedServer): Promise<Program<BareReaderCommands>> {
  const reader = startProgram<BareReaderCommands>(new URL('bare-reader-program.ts', import.meta.url));
  await reader.run('watch', config, sample);
  return reader;
}
