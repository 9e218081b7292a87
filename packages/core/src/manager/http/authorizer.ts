import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Client, Clock } from '@mcr/client';
import { SubjectAccessReview, TokenReview } from '@mcr/client';
import type { Permission } from '../../permissions/permission.ts';
import type { HttpHandler } from './http-handler.ts';
import { answerText } from './http-handler.ts';

/** Time for which a review is cached, in milliseconds. (Upstream: one minute.) */
const CACHE_TIME = 60_000;
/** Maximum number of cached reviews. */
const MAX_CACHED = 1_000;
/**
 * Maximum number of reviews at the same time. Tokens that the hub does not know cost it a review each, so that callers
 * without permissions could send it any number of requests.
 */
const MAX_REVIEWS = 20;
/** Seconds after which a caller may retry if there are too many reviews. */
const RETRY_AFTER = 1;
/** Deadline of both reviews together, in milliseconds. */
const DEADLINE = 10_000;

/** Permissions of an {@link Authorizer} in the cluster that authenticates users. */
export const ACCESS_PERMISSIONS: readonly Permission[] = [
  { kind: TokenReview, verbs: ['create'], in: 'local' },
  { kind: SubjectAccessReview, verbs: ['create'], in: 'local' },
];

type Verdict = 'allowed' | 'unknown' | 'forbidden';

interface Review {
  readonly verdict: Verdict;
  /** Time until which it is used. */
  readonly until: number;
}

/** The hub is not asked, because it is asked about too many tokens already. */
type Answer = Verdict | 'busy';

export interface AuthorizerOptions {
  /** Client of the cluster that authenticates users: the hub. */
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
}

/**
 * Allows requests with a bearer token of the hub whose user may `get` the path there (a ClusterRole with
 * `nonResourceURLs`). (Upstream: `filters.WithAuthenticationAndAuthorization` of controller-runtime.)
 */
export class Authorizer {
  readonly #client: Pick<Client, 'create'>;
  readonly #clock: Clock;
  /** Keyed by the hash of the token and the path. */
  readonly #verdicts = new Map<string, Review>();
  /** Reviews without an answer, by the same keys. */
  readonly #reviews = new Map<string, Promise<Verdict>>();

  constructor({ client, clock }: AuthorizerOptions) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Returns a handler that calls `handler` for authorized requests. It answers other requests with 401 or 403, with 500
   * if the hub cannot be reached, or with 503 if it is asked about too many tokens.
   */
  guard(path: string, handler: HttpHandler): HttpHandler {
    return async (request, response) => {
      const token = bearerOf(request);
      const verdict = token === undefined ? 'unknown' : await this.#verdict(token, path);
      if (verdict === 'allowed') return handler(request, response);
      if (verdict === 'forbidden') {
        answerText(response, 403, 'forbidden\n');
      } else if (verdict === 'busy') {
        response.setHeader('retry-after', RETRY_AFTER);
        answerText(response, 503, 'too many requests with unknown tokens: retry later\n');
      } else {
        response.setHeader('www-authenticate', 'Bearer');
        answerText(response, 401, 'unauthorized\n');
      }
    };
  }

  async #verdict(token: string, path: string): Promise<Answer> {
    const key = createHash('sha256').update(token).update('\0').update(path).digest('base64');
    const known = this.#verdicts.get(key);
    const now = this.#clock.now();
    if (known && now < known.until) return known.verdict;
    const pending = this.#reviews.get(key);
    if (pending) return pending;
    // A token that was allowed before is not refused because of others.
    if (this.#reviews.size >= MAX_REVIEWS && known?.verdict !== 'allowed') return 'busy';
    const review = this.#review(token, path);
    this.#reviews.set(key, review);
    try {
      const verdict = await review;
      this.#remember(key, { verdict, until: now + CACHE_TIME });
      return verdict;
    } finally {
      this.#reviews.delete(key);
    }
  }

  /** Beyond the limit, the oldest review is evicted. Reviews that did not allow a request go first: callers can cause many. */
  #remember(key: string, review: Review): void {
    this.#verdicts.delete(key);
    if (this.#verdicts.size >= MAX_CACHED) {
      const reviews = [...this.#verdicts];
      const [evicted] = reviews.find(([, { verdict }]) => verdict !== 'allowed') ?? reviews[0] ?? [key];
      this.#verdicts.delete(evicted);
    }
    this.#verdicts.set(key, review);
  }

  async #review(token: string, path: string): Promise<Verdict> {
    const call = { signal: AbortSignal.timeout(DEADLINE), timeout: DEADLINE };
    const { status } = await this.#client.create(TokenReview, { metadata: {}, spec: { token } }, call);
    const user = status?.user;
    // Strict, because a response with fields of other types must not grant access.
    if (status?.authenticated !== true || typeof user?.username !== 'string') return 'unknown';
    const { username, groups, uid } = user;
    const asked = await this.#client.create(
      SubjectAccessReview,
      {
        metadata: {},
        spec: {
          user: username,
          ...(groups && { groups }),
          ...(uid !== undefined && { uid }),
          nonResourceAttributes: { path, verb: 'get' },
        },
      },
      call,
    );
    return asked.status?.allowed === true ? 'allowed' : 'forbidden';
  }
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([^\s]+)$/iu.exec(headers.authorization ?? '')?.[1];
}
