import { parseKubeconfig, type ParseKubeconfigOptions } from './kubeconfig.ts';
import { isKubeconfigError, type KubeconfigError } from './kubeconfig-error.ts';

export const pem = (label: string) => `-----BEGIN ${label}-----\ncanary\n-----END ${label}-----\n`;
export const base64 = (text: string) => Buffer.from(text).toString('base64');

export interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly top?: object;
}

/** Returns a kubeconfig as JSON, which is valid YAML. */
export function kubeconfig({ cluster, user, context, top }: Parts = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', ...context } }],
    clusters: [{ name: 'k', cluster: { server: 'https://h:6443', ...cluster } }],
    users: [{ name: 'u', user: user ?? { token: 'canary' } }],
    ...top,
  });
}

export const trusted = (parts: Parts, options: Partial<ParseKubeconfigOptions> = {}) =>
  parseKubeconfig(kubeconfig(parts), { policy: 'trusted', ...options });

export function errorOf(run: () => unknown): KubeconfigError {
  try {
    run();
  } catch (error) {
    if (isKubeconfigError(error)) return error;
    throw error;
  }
  throw new Error('expected a KubeconfigError');
}
