import type { ClusterConfig } from '@mcr/core';
import { startProgram } from '../program.ts';
import type { SampleName } from '../samples/sample.ts';
import type { CannedServerCommands } from './canned-server-program.ts';

/**
 * An API server without work to do: it serves prepared objects over TLS and HTTP/2 from a separate process, so that a
 * benchmark measures the client only.
 */
export interface CannedServer extends AsyncDisposable {
  readonly config: ClusterConfig;
  /** The same server without watches that begin with all objects: clients list in pages. */
  readonly paged: ClusterConfig;
  readonly sample: SampleName;
  readonly objects: number;
  /** Size of the JSON texts of all objects, in bytes. */
  readonly bytes: number;
  /**
   * Sends `count` updates to all watches, objects in random order, each one once before any comes again.
   *
   * @returns the number of sent bytes.
   */
  update(count: number): Promise<number>;
  /** Ends all watches so that clients list again. Resolves when they watch again. */
  relist(): Promise<void>;
}

export async function startCannedServer(sample: SampleName, objects: number): Promise<CannedServer> {
  const program = startProgram<CannedServerCommands>(new URL('canned-server-program.ts', import.meta.url));
  const served = await program.run('serve', sample, objects);
  return {
    ...served,
    sample,
    objects,
    update: (count) => program.run('update', count),
    relist: () => program.run('relist'),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
