/** Files and folders that `pnpm verify` checks. The others are not rewritten yet. */
export const done = [
  'scripts',
  'bench/RESULTS.md',
  'docs/bundling.md',
  'docs/client.md',
  'docs/decisions',
  'docs/faults.md',
  'docs/metrics.md',
  'docs/runtimes.md',
  'docs/security.md',
];
