import { describe, expect, it } from '@jest/globals';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';

/** The function without its types, for calls from plain JavaScript. */
const make = (options: unknown) => createKubeconfigProvider(options as never);

describe('options of KubeconfigProvider', () => {
  it.each<[unknown, string]>([
    [undefined, 'expected options as a plain object such as { namespace: "fleet" }, found undefined'],
    ['fleet', 'expected options as a plain object such as { namespace: "fleet" }, found a string'],
    [{}, 'option "namespace": expected a namespace, which is at most 63 lower case letters'],
    [{ namespace: 'A_b' }, 'option "namespace": expected a namespace, which is at most 63 lower case letters'],
    [{ namespace: 'fleet/eu' }, 'option "namespace": expected a namespace, which is at most 63 lower case letters'],
    [{ namespace: 'fleet', secretLabel: 'a/b/c' }, 'option "secretLabel": expected a label key, which is'],
    [{ namespace: 'fleet', secretKey: 'a/b' }, 'option "secretKey": expected a key of a Secret, which is'],
    [{ namespace: 'fleet', policy: 'trust' }, 'option "policy": expected one of "trusted", "untrusted", found "trust"'],
    [
      { namespace: 'fleet', clusterOptions: { cache: { compres: true } } },
      'unknown option "clusterOptions.cache.compres": use only namespaces, labelSelector,',
    ],
    [
      { namespace: 'fleet', configure: {} },
      'option "configure": expected a function of a ClusterConfig, found an object',
    ],
  ])('refuses %p and says what is accepted', (options, message) => {
    expect(() => make(options)).toThrow(`KubeconfigProvider: ${message}`);
  });
});
