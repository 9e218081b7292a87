import type { Clock } from '../clock/clock.ts';
import type { Discovery } from './discovery.ts';
import type { Scope } from '../kinds/kind.ts';

/** For how long the answer that there is no such kind is believed, in milliseconds. */
const UNKNOWN_PERIOD = 10_000;

/** What a mapping needs to know of a kind that is served. */
export interface Served {
  readonly plural: string;
  readonly scope: Scope;
}

/** What a document tells; or `apart`, when the server tells it in several documents. */
export type ServedKinds =
  | {
      /** By {@link servedKey}. */
      readonly byKey: ReadonlyMap<string, Served>;
      /** The versions of groups that may serve more. */
      readonly stale: ReadonlySet<string>;
    }
  | 'apart';

interface Answer {
  readonly kinds: ServedKinds;
  readonly etag: string | undefined;
}

/** One discovery document, kept until a kind is asked for that is not in it. */
export class KeptDiscovery {
  readonly #discover: (etag: string | undefined) => Promise<Discovery>;
  readonly #clock: Clock;
  /** One request, whoever waits for it; a request that failed leaves none. */
  #kept: { readonly at: number; readonly answer: Promise<Answer> } | undefined;

  /** @param discover is given the `etag` of the former answer. */
  constructor(discover: (etag: string | undefined) => Promise<Discovery>, clock: Clock) {
    this.#discover = discover;
    this.#clock = clock;
  }

  /** What is served; asked again when that has no `key`, but not sooner than the answer before is 10 s old. */
  async kindsFor(key: string): Promise<ServedKinds> {
    const known = this.#kept;
    const former = await known?.answer;
    if (known && former) {
      const { kinds } = former;
      if (kinds === 'apart' || kinds.byKey.has(key) || this.#clock.now() - known.at < UNKNOWN_PERIOD) return kinds;
    }
    // Another caller may have asked again while this one waited.
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

/** For example `apps/v1 Deployment`. */
export function servedKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
