import type { Credentials } from '@mcr/envtest';

/** Returns a kubeconfig with one context for each cluster. */
export function kubeconfigOf(contexts: Readonly<Record<string, Credentials>>): string {
  const names = Object.keys(contexts);
  const list = Object.entries(contexts);
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: list.map(([name, { config }]) => ({
        name,
        cluster: {
          server: config.server,
          'certificate-authority-data': Buffer.from(config.tls?.caData ?? '').toString('base64'),
        },
      })),
      users: list.map(([name, { config }]) => ({
        name,
        user: { token: config.auth?.type === 'token' ? config.auth.token : undefined },
      })),
      contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
    },
    null,
    2,
  );
}
