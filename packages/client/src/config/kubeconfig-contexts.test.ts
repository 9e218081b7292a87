import { describe, expect, it } from '@jest/globals';
import { parseKubeconfigContexts } from './kubeconfig-contexts.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

describe('parseKubeconfigContexts', () => {
  it('returns a config or an error for each context', () => {
    const contexts = parseKubeconfigContexts(
      JSON.stringify({
        clusters: [{ name: 'eu', cluster: { server: 'https://eu:6443' } }],
        users: [{ name: 'carts', user: { token: 'secret' } }],
        contexts: [
          { name: 'good', context: { cluster: 'eu', user: 'carts' } },
          { name: 'lost', context: { cluster: 'us', user: 'carts' } },
        ],
      }),
      { policy: 'trusted', path: '/etc/fleet' },
    );
    expect([...contexts.keys()]).toEqual(['good', 'lost']);
    expect(contexts.get('good')).toEqual({ server: 'https://eu:6443', auth: { type: 'token', token: 'secret' } });
    expect(contexts.get('lost')).toBeInstanceOf(KubeconfigError);
    expect(contexts.get('lost')).toMatchObject({ field: 'contexts[1].context.cluster' });
  });

  it('refuses text that is not a kubeconfig', () => {
    expect(() => parseKubeconfigContexts('}{', { policy: 'untrusted' })).toThrow(KubeconfigError);
  });
});
