import type { ClusterConfig } from '@mcr/core';

/** One context of a kubeconfig, with a cluster and a user of the same name. `null` leaves a part out. */
export interface ContextParts {
  readonly config: ClusterConfig;
  readonly user?: object | null;
}

/** Returns a kubeconfig in JSON, with a context for each name. */
export function kubeconfigOf(contexts: Readonly<Record<string, ContextParts>>): string {
  const parts = Object.entries(contexts);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: parts.map(([name, { config }]) => ({
      name,
      cluster: {
        server: config.server,
        ...(config.tls?.caData && {
          'certificate-authority-data': Buffer.from(config.tls.caData).toString('base64'),
        }),
      },
    })),
    contexts: parts.map(([name]) => ({ name, context: { cluster: name, user: name } })),
    users: parts.flatMap(([name, { config, user }]) => {
      if (user === null) return [];
      const token = config.auth?.type === 'token' ? config.auth.token : undefined;
      return [{ name, user: user ?? { token } }];
    }),
  });
}
