import base from '../jest.config.mjs';

/** Runs whole fleets of real processes from their sources. `pnpm e2e` selects the backend and the files. */
export default {
  ...base,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.e2e.ts'],
  maxWorkers: 1,
  // Only a test that hangs takes this long: a single wait ends earlier, with an error that names its condition.
  testTimeout: 300_000,
};
