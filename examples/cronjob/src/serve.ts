import { createManager, shutdownSignal } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { runOperator } from './operator.ts';

const manager = await createManager({
  provider: createKubeconfigProvider({ namespace: 'fleet' }),
  leaderElection: { id: 'cronjobs' },
  health: { bindAddress: ':8081' },
});
const server = { certificate: { certDir: '/certs' } };
await runOperator({ manager, server, url: process.env['WEBHOOK_URL'] }, shutdownSignal().signal);
