import type { McrConfig } from '@mcr/cli';
import { fleet } from './src/fleet.ts';
import { kinds } from './src/kinds.ts';
import { setup } from './src/setup.ts';

/* The parts of the program. src/main.ts runs them, and "mcr generate" writes their manifests to deploy/. */

export default {
  name: 'my-operator',
  namespace: 'my-operator',
  kinds,
  webhooks: { port: 9443 },
  manager: () => ({
    ...fleet(),
    leaderElection: { id: 'my-operator', namespace: 'my-operator' },
    health: { bindAddress: ':8081' },
  }),
  setup,
} satisfies McrConfig;
