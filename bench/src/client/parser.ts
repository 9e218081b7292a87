import type { Program } from '../program.ts';
import { startProgram } from '../program.ts';
import type { SampleName } from '../samples/sample.ts';
import type { ParserCommands } from './parser-program.ts';

/** A separate process that only parses. */
export async function startParser(sample: SampleName, objects: number): Promise<Program<ParserCommands>> {
  const parser = startProgram<ParserCommands>(new URL('parser-program.ts', import.meta.url));
  await parser.run('load', sample, objects);
  return parser;
}
