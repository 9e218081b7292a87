/** Files and folders that `pnpm verify` checks. The others are not rewritten yet. */
export const done = ['scripts'];
