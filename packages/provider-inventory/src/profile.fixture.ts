import type { ClusterConfig, Condition } from '@mcr/core';
import type { AccessProvider } from './cluster-profile.ts';

export function condition(type: string, status: Condition['status']): Condition {
  return { type, status, reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
}

/** Returns the access provider `token` of a profile, with the endpoint of `config`. */
export function accessTo(
  { server, tls }: ClusterConfig,
  extensions: Readonly<Record<string, unknown>> = {},
): AccessProvider {
  return {
    name: 'token',
    cluster: {
      server,
      ...(tls?.caData && { 'certificate-authority-data': Buffer.from(tls.caData).toString('base64') }),
      extensions: Object.entries(extensions).map(([name, extension]) => ({ name, extension })),
    },
  };
}
