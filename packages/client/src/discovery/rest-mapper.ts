import { systemClock, type Clock } from '../clock/clock.ts';
import type { Transport } from '../transport/transport.ts';
import {
  discover,
  discoverVersion,
  rootOf,
  versionPath,
  type Discovery,
  type DiscoveryRoot,
  type ServerResource,
} from './discovery.ts';
import { parseApiVersion, type Kind, type Scope } from '../kinds/kind.ts';
import { NoKindMatchError } from '../kinds/no-kind-match-error.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { KeptDiscovery, servedKey, type Served } from './kept-discovery.ts';

/** Where a kind is served. (Upstream: `apimachinery/pkg/api/meta.RESTMapping`.) */
export interface RestMapping {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly scope: Scope;
  /** The path of the group version, for example `/api/v1` or `/apis/apps/v1`. */
  readonly path: string;
}

/** Finds where one cluster serves a kind. */
export interface RestMapper {
  /**
   * What the kind says itself is believed; the rest is asked of the server: once for all kinds, and again when one is
   * not known, at most every 10 s.
   *
   * @throws {NoKindMatchError} when the cluster serves no such kind.
   * @throws {ApiError} or {TransportError} when the cluster cannot be asked.
   */
  resolve(kind: Kind<KubernetesObject>): Promise<RestMapping>;
  /**
   * Forgets a kind, for example because its CustomResourceDefinition has changed: the next lookup asks the server
   * again.
   */
  forget(kind: Kind<KubernetesObject>): void;
  /**
   * All that the cluster serves now, the preferred versions of a group first.
   *
   * @throws {ApiError} or {TransportError} when any of it cannot be asked.
   */
  resources(): Promise<readonly ServerResource[]>;
}

/** (Upstream: controller-runtime's lazy `apiutil.NewDynamicRESTMapper`, over client-go's aggregated discovery.) */
export function createRestMapper(transport: Transport, options: { readonly clock?: Clock } = {}): RestMapper {
  return new DiscoveringRestMapper(transport, options.clock ?? systemClock);
}

class DiscoveringRestMapper implements RestMapper {
  readonly #transport: Transport;
  readonly #clock: Clock;
  /** By root; and by `apiVersion`, where the server does not tell it all in one document. */
  readonly #kept = new Map<string, KeptDiscovery>();

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async resolve(kind: Kind<KubernetesObject>): Promise<RestMapping> {
    const { apiVersion } = kind;
    const place = { ...parseApiVersion(apiVersion), path: versionPath(apiVersion) };
    if (kind.plural !== undefined && kind.scope !== undefined) {
      return { ...place, plural: kind.plural, scope: kind.scope };
    }
    const served = await this.#served(apiVersion, kind.kind);
    if (!served) throw new NoKindMatchError(kind);
    return { ...place, plural: kind.plural ?? served.plural, scope: kind.scope ?? served.scope };
  }

  forget({ apiVersion, plural, scope }: Kind<KubernetesObject>): void {
    // A fully defined kind needs no request.
    if (plural !== undefined && scope !== undefined) return;
    this.#kept.delete(rootOf(apiVersion));
    this.#kept.delete(apiVersion);
  }

  async resources(): Promise<readonly ServerResource[]> {
    const roots = ['/api', '/apis'] as const;
    return (await Promise.all(roots.map((root) => this.#resourcesBelow(root)))).flat();
  }

  async #resourcesBelow(root: DiscoveryRoot): Promise<readonly ServerResource[]> {
    const discovery = await discover(this.#transport, root);
    const { resources = [], stale = [] } = discovery.type === 'whole' ? discovery : {};
    const versions = discovery.type === 'apart' ? discovery.apiVersions : stale;
    const apart = await Promise.all(versions.map((version) => discoverVersion(this.#transport, version)));
    return [...resources.filter(({ apiVersion }) => !stale.includes(apiVersion)), ...apart.flat()];
  }

  async #served(apiVersion: string, kind: string): Promise<Served | undefined> {
    const key = servedKey(apiVersion, kind);
    const root = rootOf(apiVersion);
    const kinds = await this.#keptOf(root, (etag) => discover(this.#transport, root, etag)).kindsFor(key);
    const served = kinds === 'apart' ? undefined : kinds.byKey.get(key);
    // Where the document does not know, its silence does not mean that there is no such kind.
    if (served || (kinds !== 'apart' && !kinds.stale.has(apiVersion))) return served;
    const ofVersion = await this.#keptOf(apiVersion, async () => {
      const resources = await discoverVersion(this.#transport, apiVersion);
      return { type: 'whole', resources, stale: [], etag: undefined };
    }).kindsFor(key);
    return ofVersion === 'apart' ? undefined : ofVersion.byKey.get(key);
  }

  #keptOf(document: string, ask: (etag: string | undefined) => Promise<Discovery>): KeptDiscovery {
    const present = this.#kept.get(document) ?? new KeptDiscovery(ask, this.#clock);
    this.#kept.set(document, present);
    return present;
  }
}
