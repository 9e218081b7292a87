import { systemClock, type Clock } from '../clock/clock.ts';
import type { Transport } from '../transport/transport.ts';
import { discover } from './discovery.ts';
import { parseApiVersion, type Kind, type Scope } from './kind.ts';
import { NoKindMatchError } from './no-kind-match-error.ts';
import type { KubernetesObject } from './object.ts';

/** For how long the answer that a group version has no such kind is believed, in milliseconds. */
const UNKNOWN_PERIOD = 10_000;

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
   * What the kind says itself is believed; the rest is asked of the server, once.
   *
   * @throws {NoKindMatchError} when the cluster serves no such kind.
   * @throws {ApiError} or {TransportError} when the cluster cannot be asked.
   */
  resolve(kind: Kind<KubernetesObject>): Promise<RestMapping>;
}

export function createRestMapper(transport: Transport, options: { readonly clock?: Clock } = {}): RestMapper {
  return new DiscoveringRestMapper(transport, options.clock ?? systemClock);
}

/** What a group version serves, by kind. */
export type ServedKinds = ReadonlyMap<string, { readonly plural: string; readonly scope: Scope }>;

interface Discovered {
  readonly at: number;
  readonly kinds: Promise<ServedKinds>;
}

class DiscoveringRestMapper implements RestMapper {
  readonly #transport: Transport;
  readonly #clock: Clock;
  /** By `apiVersion`. One entry is one request, whoever waits for it; a request that failed leaves none. */
  readonly #discovered = new Map<string, Discovered>();

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async resolve(kind: Kind<KubernetesObject>): Promise<RestMapping> {
    const { group, version } = parseApiVersion(kind.apiVersion);
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    if (kind.plural !== undefined && kind.scope !== undefined) {
      return { group, version, path, plural: kind.plural, scope: kind.scope };
    }
    const served = (await this.#kindsOf(kind.apiVersion, path, kind.kind)).get(kind.kind);
    if (!served) throw new NoKindMatchError(kind);
    return { group, version, path, plural: kind.plural ?? served.plural, scope: kind.scope ?? served.scope };
  }

  async #kindsOf(apiVersion: string, path: string, kind: string): Promise<ServedKinds> {
    const known = this.#discovered.get(apiVersion);
    if (known) {
      const kinds = await known.kinds;
      if (kinds.has(kind) || this.#clock.now() - known.at < UNKNOWN_PERIOD) return kinds;
    }
    // Another caller may have asked again while this one waited.
    const current = this.#discovered.get(apiVersion);
    return current && current !== known ? current.kinds : this.#discover(apiVersion, path);
  }

  async #discover(apiVersion: string, path: string): Promise<ServedKinds> {
    const kinds = discover(this.#transport, path);
    const discovered = { at: this.#clock.now(), kinds };
    this.#discovered.set(apiVersion, discovered);
    try {
      return await kinds;
    } catch (error) {
      if (this.#discovered.get(apiVersion) === discovered) this.#discovered.delete(apiVersion);
      throw error;
    }
  }
}
