import base from '../jest.config.mjs';

/** Runs whole fleets of real processes from their sources. `pnpm e2e` selects the backend and the files. */
export default {
  ...base,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.e2e.ts'],
  maxWorkers: 1,
  // A test on real API servers waits for several of them.
  testTimeout: 180_000,
};
