import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

// Tests use what only the embedded server has, even where $KUBEBUILDER_ASSETS is set; some name another backend themselves.
process.env.MCR_BACKEND ??= 'embedded';

/** @type {import('jest').Config} */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/packages', '<rootDir>/examples', '<rootDir>/bench', '<rootDir>/judge', '<rootDir>/scripts'],
  // Their projects run them by the test runner of Node.js.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/packages/create/templates/'],
  testMatch: ['**/src/**/*.test.ts', '<rootDir>/scripts/*.test.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2023',
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Packages of this repository are tested from their sources.
  testEnvironmentOptions: { customExportConditions: ['@mcr/source', 'node', 'node-addons'] },
  testEnvironment: join(import.meta.dirname, 'scripts', 'jest-environment.mjs'),
  testSequencer: join(import.meta.dirname, 'scripts', 'longest-first.mjs'),
  // More workers than cores, because most tests wait for sockets.
  maxWorkers: availableParallelism() + 1,
  // A worker whose heap has grown beyond this is replaced between two suites.
  workerIdleMemoryLimit: '1000MB',
  // Only a test that hangs takes this long: a single wait ends earlier, with an error that names its condition. Waiting
  // for time itself is virtual.
  testTimeout: 180_000,
};
