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
import { CachedDiscovery, servedKey, type Served } from './cached-discovery.ts';

/** The location of a kind in the API. (Upstream: `apimachinery/pkg/api/meta.RESTMapping`.) */
export interface RestMapping {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly scope: Scope;
  /** The path of the group version, for example `/api/v1` or `/apis/apps/v1`. */
  readonly path: string;
}

/** Maps kinds to their locations in the API of one cluster. */
export interface RestMapper {
  /**
   * Returns the location of a kind. Uses the fields of the kind's definition and discovers the missing ones. Discovery
   * covers all kinds, and is repeated for an unknown kind, at most every 10 s.
   *
   * @throws {NoKindMatchError} if the cluster does not serve the kind.
   * @throws {ApiError} or {TransportError} if discovery fails.
   */
  resolve(kind: Kind<KubernetesObject>): Promise<RestMapping>;
  /** Forgets a kind, for example because its CustomResourceDefinition has changed. The next lookup discovers it again. */
  forget(kind: Kind<KubernetesObject>): void;
  /**
   * Returns all resources that the cluster serves now. The preferred version of each group comes first.
   *
   * @throws {ApiError} or {TransportError} if any part of discovery fails.
   */
  resources(): Promise<readonly ServerResource[]>;
}

/**
 * Creates a mapper that discovers kinds on demand. (Upstream: controller-runtime's lazy `apiutil.NewDynamicRESTMapper`,
 * over client-go's aggregated discovery.)
 */
export function createRestMapper(transport: Transport, options: { readonly clock?: Clock } = {}): RestMapper {
  return new DiscoveringRestMapper(transport, options.clock ?? systemClock);
}

class DiscoveringRestMapper implements RestMapper {
  readonly #transport: Transport;
  readonly #clock: Clock;
  /** Documents by root, and by `apiVersion` if the server has one document for each version. */
  readonly #cached = new Map<string, CachedDiscovery>();

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
    // A kind with plural and scope needs no discovery.
    if (plural !== undefined && scope !== undefined) return;
    this.#cached.delete(rootOf(apiVersion));
    this.#cached.delete(apiVersion);
  }

  async resources(): Promise<readonly ServerResource[]> {
    const roots = ['/api', '/apis'] as const;
    return (await Promise.all(roots.map((root) => this.#resourcesBelow(root)))).flat();
  }

  async #resourcesBelow(root: DiscoveryRoot): Promise<readonly ServerResource[]> {
    const discovery = await discover(this.#transport, root);
    const { resources = [], stale = [] } = discovery.type === 'whole' ? discovery : {};
    const versions = discovery.type === 'split' ? discovery.apiVersions : stale;
    const separate = await Promise.all(versions.map((version) => discoverVersion(this.#transport, version)));
    return [...resources.filter(({ apiVersion }) => !stale.includes(apiVersion)), ...separate.flat()];
  }

  async #served(apiVersion: string, kind: string): Promise<Served | undefined> {
    const key = servedKey(apiVersion, kind);
    const root = rootOf(apiVersion);
    const kinds = await this.#cachedDocument(root, (etag) => discover(this.#transport, root, etag)).kindsFor(key);
    const served = kinds === 'split' ? undefined : kinds.byKey.get(key);
    // An incomplete document does not prove that a kind is not served.
    if (served || (kinds !== 'split' && !kinds.stale.has(apiVersion))) return served;
    const ofVersion = await this.#cachedDocument(apiVersion, async () => {
      const resources = await discoverVersion(this.#transport, apiVersion);
      return { type: 'whole', resources, stale: [], etag: undefined };
    }).kindsFor(key);
    return ofVersion === 'split' ? undefined : ofVersion.byKey.get(key);
  }

  #cachedDocument(document: string, ask: (etag: string | undefined) => Promise<Discovery>): CachedDiscovery {
    const present = this.#cached.get(document) ?? new CachedDiscovery(ask, this.#clock);
    this.#cached.set(document, present);
    return present;
  }
}
