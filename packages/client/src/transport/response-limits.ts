/**
 * How large what a cluster answers may be, in bytes, after decompression. A compressed body may not be larger than that
 * before decompression either. Whatever is larger fails with the code `oversized` before it is read whole.
 */
export interface ResponseLimits {
  /** The answer to `GET /version` and to health checks. Default: 1 MiB. */
  readonly version?: number;
  /** The body of a refusal (status 300 and above). Default: 1 MiB. */
  readonly refusal?: number;
  /** One discovery document. Default: 32 MiB. */
  readonly discovery?: number;
  /** One object: the answer to a get or a write, an item of a list, a line of a watch. Default: 8 MiB. */
  readonly object?: number;
  /**
   * One list, or the initial objects of one watch (WatchList), all together. API servers ignore `limit` where they answer
   * from their watch cache, so a list can be as large as everything that is cached. Default: no limit.
   */
  readonly list?: number;
}

/** What a request asks for: the limit of its answer depends on it. */
export type ResponsePurpose = Exclude<keyof ResponseLimits, 'refusal'>;

const MIB = 1024 * 1024;

const DEFAULT_LIMITS: Required<ResponseLimits> = {
  version: MIB,
  refusal: MIB,
  discovery: 32 * MIB,
  object: 8 * MIB,
  list: Infinity,
};

/**
 * The limits, with the defaults of those that are not given.
 *
 * @throws {TypeError} that names the limit, when one is not a number above 0.
 */
export function responseLimits(given: ResponseLimits = {}): Required<ResponseLimits> {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (!(name in DEFAULT_LIMITS)) throw new TypeError(`limits.${name} is not a limit: use ${names()}`);
    if (value !== undefined && !(typeof value === 'number' && value > 0)) {
      throw new TypeError(`limits.${name} must be a number of bytes above 0, found ${JSON.stringify(value)}`);
    }
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(set) as ResponseLimits) };
}

function names(): string {
  return Object.keys(DEFAULT_LIMITS).join(', ');
}
