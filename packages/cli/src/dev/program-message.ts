import type { CrdManifest } from '@mcr/core';

/** A message of a program that `mcr dev` runs, which `preload.ts` sends. */
export type ProgramMessage =
  /** The program loads a file, or looked for one that does not exist. */
  | { readonly type: 'file'; readonly path: string }
  /** The kinds of the config. The program waits for {@link GO}. */
  | { readonly type: 'definitions'; readonly definitions: readonly CrdManifest[] };

/** Message of `mcr dev` to a program whose kinds are installed. */
export const GO = 'go';

/** Variable with the absolute path of the config, for `preload.ts`. */
export const CONFIG_VARIABLE = 'MCR_DEV_CONFIG';
