import type { DeepReadonly } from '@mcr/core';
import { enqueueMapped, kindSource, parseKubeconfig, Secret } from '@mcr/core';
import { secretValue } from '@mcr/core/provider';
import type { Access, AccessStrategy, Candidate } from './access.ts';

const CONSUMER_LABEL = 'x-k8s.io/cluster-inventory-consumer';
const PROFILE_LABEL = 'x-k8s.io/cluster-profile';
/** Key of the kubeconfig in its Secret. */
const KUBECONFIG_KEY = 'Config';

/** Uses kubeconfigs in Secrets in the namespaces of the profiles. (Upstream: `kubeconfigstrategy.secretStrategy`, KEP-4322.) */
export class SecretAccess implements AccessStrategy {
  readonly #scope;

  /** @param options.scope namespaces of the profiles. Default: all. */
  constructor({
    consumerName,
    scope,
  }: {
    readonly consumerName: string;
    readonly scope: { readonly namespaces?: readonly string[] };
  }) {
    // The API server selects the Secrets: the provider does not receive any other Secret of the hub.
    this.#scope = { ...scope, labelSelector: `${CONSUMER_LABEL}=${consumerName},${PROFILE_LABEL}` };
  }

  sources() {
    const profileOf = enqueueMapped<Secret>(({ metadata: { namespace = '', labels } }) => {
      const name = labels?.[PROFILE_LABEL];
      return name ? [{ namespace, name }] : [];
    });
    return [kindSource(Secret, profileOf, this.#scope)];
  }

  async find({ profile: { metadata }, hub, signal }: Candidate): Promise<Access> {
    const informer = await hub.cache.informer(Secret, this.#scope);
    await informer.waitForSync(signal);
    const secrets = informer.store
      .list(metadata.namespace)
      .filter(({ metadata: { labels } }) => labels?.[PROFILE_LABEL] === metadata.name);
    const [secret, ...others] = secrets;
    if (!secret) {
      const labels = `${PROFILE_LABEL}=${metadata.name} and ${this.#scope.labelSelector.split(',')[0]}`;
      return { outcome: 'missing', reason: `no Secret with the labels ${labels} in the namespace of its profile` };
    }
    if (others.length > 0) {
      const names = secrets.map(({ metadata: { name } }) => name).sort();
      throw new Error(`more than one Secret is labelled for its profile: ${names.join(', ')}`);
    }
    const text = kubeconfigIn(secret);
    if (!text) {
      return { outcome: 'missing', reason: `its Secret ${secret.metadata.name} has no key "${KUBECONFIG_KEY}"` };
    }
    // Keeps the Secret, which the cache holds anyway, and not its decoded text.
    const config = () => parseKubeconfig(kubeconfigIn(secret) ?? '', { policy: 'untrusted' });
    return { outcome: 'found', source: text, config };
  }
}

/** @throws {Error} if a field has a wrong type; the message names the Secret and the field. */
function kubeconfigIn(secret: DeepReadonly<Secret>): string | undefined {
  try {
    return secretValue(secret, KUBECONFIG_KEY)?.toString('utf8');
  } catch (cause) {
    throw new Error(`its Secret ${secret.metadata.name}: ${(cause as Error).message}`, { cause });
  }
}
