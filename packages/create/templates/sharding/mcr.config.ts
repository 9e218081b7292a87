import type { McrConfig } from '@mcr/cli';
import { fleet } from './src/fleet.ts';
import { kinds } from './src/kinds.ts';
import { setup } from './src/setup.ts';

/* The parts of the program. src/main.ts runs them, and "mcr generate" writes their manifests to deploy/. */

export default {
  name: 'my-operator',
  namespace: 'my-operator',
  kinds,
  manager: () => ({
    ...fleet(),
    sharding: { name: 'my-operator', namespace: 'my-operator' },
    // "mcr dev" sets the addresses, so that several replicas run on one machine.
    metrics: { bindAddress: process.env['METRICS_ADDRESS'] ?? '127.0.0.1:8080' },
    health: { bindAddress: process.env['HEALTH_ADDRESS'] ?? ':8081' },
  }),
  setup,
} satisfies McrConfig;
