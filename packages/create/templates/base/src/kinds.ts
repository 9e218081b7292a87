import type { McrConfig } from '@mcr/cli';

/** The kinds that the program defines: none, because it works with built-in ones. */
export const kinds: NonNullable<McrConfig['kinds']> = [];
