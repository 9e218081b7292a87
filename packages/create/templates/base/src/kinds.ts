import type { McrConfig } from '@mcr/cli';

/** The kinds that the program defines. */
export const kinds: NonNullable<McrConfig['kinds']> = [];
