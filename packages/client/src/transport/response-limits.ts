import * as z from 'zod';
import { foundText } from '../options/found-text.ts';
import { parseFields } from '../options/parse-options.ts';

/**
 * Maximum sizes of responses, in bytes, before and after decompression. A larger response fails with the code
 * `oversized` before it is read completely.
 */
export interface ResponseLimits {
  /** The response to `GET /version` and to health checks. Default: 1 MiB. */
  readonly version?: number;
  /** The body of a refusal (status 300 and above). Default: 1 MiB. */
  readonly refusal?: number;
  /** One discovery document. Default: 32 MiB. */
  readonly discovery?: number;
  /**
   * One object: the response to a get or a write, an item of a list, a row of a table, a line of a watch. Default: 8
   * MiB.
   */
  readonly object?: number;
  /**
   * All pages of one list together, or all initial objects of one watch (WatchList). In an informer, objects that its
   * watch adds later count too. API servers ignore `limit` when they serve from their watch cache, so a list can be as
   * large as everything that is cached. Default: no limit.
   */
  readonly list?: number;
}

/**
 * Counts one list, and the changes of the watches that follow it, toward {@link ResponseLimits.list}. Pass the same
 * object, which starts with 0 bytes, to the request for each page and to each watch. A page whose request fails does
 * not count.
 */
export interface ListTotal {
  /** Size of the list and of the latest event of each object in {@link changed}, in bytes. */
  bytes: number;
  /** Size of the latest event, in bytes, of each object added or modified since the list. Set by watches. */
  changed?: Map<string, number>;
}

/** The limit of one response body, before and after decompression. */
export interface BodyLimit {
  readonly name: keyof ResponseLimits;
  readonly bytes: number;
}

/** The kind of response that a request expects. It selects the limit. */
export type ResponsePurpose = Exclude<keyof ResponseLimits, 'refusal'>;

const MIB = 1024 * 1024;

/** Limits of a client without others. */
export const DEFAULT_LIMITS: Required<ResponseLimits> = {
  version: MIB,
  refusal: MIB,
  discovery: 32 * MIB,
  object: 8 * MIB,
  list: Infinity,
};

const limit = z
  .custom<number>((value) => typeof value === 'number' && value > 0, {
    error: ({ input }) =>
      `expected a number of bytes greater than 0, found ${typeof input === 'number' ? input : foundText(input)}`,
  })
  .optional();

const schema = z.strictObject({
  limits: z.strictObject({
    version: limit,
    refusal: limit,
    discovery: limit,
    object: limit,
    list: limit,
  } satisfies Record<keyof ResponseLimits, z.ZodType>),
});

/**
 * Returns the limits, with defaults for missing ones.
 *
 * @param call name of the function in errors.
 * @throws {TypeError} with the name of a limit that is unknown or not a number greater than 0.
 */
export function responseLimits(call: string, given: ResponseLimits = {}): Required<ResponseLimits> {
  const { limits } = parseFields(call, schema, { limits: given });
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(set) as ResponseLimits) };
}
