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

/** The kinds in a document; or `split` if the server has one document for each version. */
export type ServedKinds =
  | {
      /** Keys are those of {@link servedKey}. */
      readonly byKey: ReadonlyMap<string, Served>;
      /** The group versions that may serve more kinds than the document lists. */
      readonly stale: ReadonlySet<string>;
    }
  | 'split';

interface Answer {
  readonly kinds: ServedKinds;
  readonly etag: string | undefined;
}

/** Caches one discovery document until a kind is requested that it does not list. */
export class CachedDiscovery {
  readonly #discover: (etag: string | undefined) => Promise<Discovery>;
  readonly #clock: Clock;
  /** All callers share one request. A failed request is not kept. */
  #cached: { readonly at: number; readonly answer: Promise<Answer> } | undefined;

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
    const known = this.#cached;
    const previous = await known?.answer;
    if (known && previous) {
      const { kinds } = previous;
      if (kinds === 'split' || kinds.byKey.has(key) || this.#clock.now() - known.at < UNKNOWN_PERIOD) return kinds;
    }
    // Another caller may have asked again in the meantime.
    const current = this.#cached && this.#cached !== known ? this.#cached.answer : this.#ask(previous);
    return (await current).kinds;
  }

  async #ask(previous: Answer | undefined): Promise<Answer> {
    const answer = this.#discover(previous?.etag).then((discovery) =>
      discovery.type === 'unchanged' && previous ? previous : answerOf(discovery),
    );
    const cached = { at: this.#clock.now(), answer };
    this.#cached = cached;
    try {
      return await answer;
    } catch (error) {
      if (this.#cached === cached) this.#cached = undefined;
      throw error;
    }
  }
}

function answerOf(discovery: Discovery): Answer {
  if (discovery.type !== 'whole') return { kinds: 'split', etag: undefined };
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
