import type { Clock } from '../clock/clock.ts';
import type { Discovery } from './discovery.ts';
import type { Scope } from '../kinds/kind.ts';

/** Time before discovery is repeated for an unknown kind, in milliseconds. */
const UNKNOWN_PERIOD = 10_000;

/** Fields of a served kind that a mapping needs. */
export interface Served {
  readonly plural: string;
  readonly scope: Scope;
}

/** The kinds in a document; or `apart` if the server has one document for each version. */
export type ServedKinds =
  | {
      /** Keys are those of {@link servedKey}. */
      readonly byKey: ReadonlyMap<string, Served>;
      /** The group versions that may serve more kinds than the document lists. */
      readonly stale: ReadonlySet<string>;
    }
  | 'apart';

interface Answer {
  readonly kinds: ServedKinds;
  readonly etag: string | undefined;
}

/** Caches one discovery document until a kind is requested that it does not list. */
export class KeptDiscovery {
  readonly #discover: (etag: string | undefined) => Promise<Discovery>;
  readonly #clock: Clock;
  /** All callers share one request. A failed request is not kept. */
  #kept: { readonly at: number; readonly answer: Promise<Answer> } | undefined;

  /** @param discover receives the `etag` of the previous response. */
  constructor(discover: (etag: string | undefined) => Promise<Discovery>, clock: Clock) {
    this.#discover = discover;
    this.#clock = clock;
  }

  /**
   * Returns the served kinds. Asks the server again if they do not include `key`, unless the last response is less than
   * 10 s old.
   */
  async kindsFor(key: string): Promise<ServedKinds> {
    const known = this.#kept;
    const former = await known?.answer;
    if (known && former) {
      const { kinds } = former;
      if (kinds === 'apart' || kinds.byKey.has(key) || this.#clock.now() - known.at < UNKNOWN_PERIOD) return kinds;
    }
    // Another caller may have asked again in the meantime.
    const current = this.#kept && this.#kept !== known ? this.#kept.answer : this.#ask(former);
    return (await current).kinds;
  }

  async #ask(former: Answer | undefined): Promise<Answer> {
    const answer = this.#discover(former?.etag).then((discovery) =>
      discovery.type === 'unchanged' && former ? former : answerOf(discovery),
    );
    const kept = { at: this.#clock.now(), answer };
    this.#kept = kept;
    try {
      return await answer;
    } catch (error) {
      if (this.#kept === kept) this.#kept = undefined;
      throw error;
    }
  }
}

function answerOf(discovery: Discovery): Answer {
  if (discovery.type !== 'whole') return { kinds: 'apart', etag: undefined };
  const { resources, stale, etag } = discovery;
  const byKey = new Map(
    resources.map(({ apiVersion, kind, plural, scope }) => [servedKey(apiVersion, kind), { plural, scope }]),
  );
  return { kinds: { byKey, stale: new Set(stale) }, etag };
}

/** Returns the key of a kind, for example `apps/v1 Deployment`. */
export function servedKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
