import base from '../jest.config.mjs';

/** Whole fleets of real processes, on the packages as they are built. */
export default {
  ...base,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.e2e.ts'],
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
  maxWorkers: 1,
};
