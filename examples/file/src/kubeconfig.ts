import type { Credentials } from '@mcr/envtest';

/** One kubeconfig for several clusters, with a context for each. */
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
