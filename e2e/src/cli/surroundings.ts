import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { findAssets } from '@mcr/envtest';
import { isKindError, createKindBinary } from '@mcr/provider-kind';
import type { RunCommand } from './arguments.ts';
import { UsageError } from './arguments.ts';

/** Resolves a path of the command line: relative to the directory in which the user started npm or pnpm. */
export function pathOf(file: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', file);
}

/**
 * Checks the programs and files that a run needs, before it creates anything.
 *
 * @throws {UsageError} that names what is missing.
 */
export async function checkSurroundings({ backend, standIn, results }: RunCommand, signal: AbortSignal): Promise<void> {
  if (results !== undefined) {
    await access(dirname(pathOf(results)), constants.W_OK).catch((error: unknown) => {
      throw new UsageError(`--results ${results}: cannot be written: ${(error as Error).message}`);
    });
  }
  if (backend === 'binaries') {
    await findAssets().catch((error: unknown) => {
      throw new UsageError((error as Error).message, { cause: error });
    });
  }
  if (backend === 'kind' && !standIn) await kindClusters(signal);
}

/**
 * Returns the names of all Kind clusters on this machine.
 *
 * @throws {UsageError} if there is no `kind` program, or no container engine that it can use.
 */
export async function kindClusters(signal: AbortSignal): Promise<string[]> {
  try {
    return await createKindBinary().clusters(signal);
  } catch (error) {
    if (!isKindError(error)) throw error;
    const reason = error.failure === 'missing' ? 'program kind not found in PATH: install it' : error.message;
    throw new UsageError(`--backend kind: ${reason}`, { cause: error });
  }
}
