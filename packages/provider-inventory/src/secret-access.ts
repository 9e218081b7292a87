import type { DeepReadonly } from '@mcr/core';
import { enqueueMapped, kindSource, parseKubeconfig, Secret } from '@mcr/core';
import { secretValue } from '@mcr/core/provider';
import type { Access, AccessStrategy, Candidate } from './access.ts';

const CONSUMER_LABEL = 'x-k8s.io/cluster-inventory-consumer';
const PROFILE_LABEL = 'x-k8s.io/cluster-profile';
/** The key of the kubeconfig within its Secret. */
const KUBECONFIG_KEY = 'Config';

/** Reaches clusters by kubeconfigs in Secrets beside their profiles. (Upstream: `kubeconfigstrategy.secretStrategy`, KEP-4322.) */
export class SecretAccess implements AccessStrategy {
  readonly #scope;

  /** @param options.scope the namespaces of the profiles. Default: all. */
  constructor({
    consumerName,
    scope,
  }: {
    readonly consumerName: string;
    readonly scope: { readonly namespaces?: readonly string[] };
  }) {
    // The server selects: no other Secret of the hub is ever sent here.
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
      return { outcome: 'missing', reason: `there is no Secret with the labels ${labels} beside its profile` };
    }
    if (others.length > 0) {
      const names = secrets.map(({ metadata: { name } }) => name).sort();
      throw new Error(`more than one Secret is labelled as that of its profile: ${names.join(', ')}`);
    }
    const text = kubeconfigIn(secret);
    if (!text) {
      return { outcome: 'missing', reason: `its Secret ${secret.metadata.name} has no key "${KUBECONFIG_KEY}"` };
    }
    return { outcome: 'found', source: text, config: () => parseKubeconfig(text, { policy: 'untrusted' }) };
  }
}

/** @throws {Error} that names the Secret and the field that has a wrong type. */
function kubeconfigIn(secret: DeepReadonly<Secret>): string | undefined {
  try {
    return secretValue(secret, KUBECONFIG_KEY)?.toString('utf8');
  } catch (cause) {
    throw new Error(`its Secret ${secret.metadata.name}: ${(cause as Error).message}`, { cause });
  }
}
