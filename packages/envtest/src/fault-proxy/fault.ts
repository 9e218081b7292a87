import { z } from 'zod';

/** Milliseconds. */
const duration = z.number().nonnegative();
/** Number of bytes from the server to forward before the fault applies, counted from the start of the rule. */
const after = z.int().nonnegative().default(0);

const delay = z.strictObject({ type: z.literal('delay'), duration });
const throttle = z.strictObject({ type: z.literal('throttle'), bytesPerSecond: z.number().positive() });
const split = z.strictObject({ type: z.literal('split'), size: z.int().positive() });
const corrupt = z.strictObject({ type: z.literal('corrupt'), after });
const truncate = z.strictObject({ type: z.literal('truncate'), after });

/**
 * Faults of a connection. They apply to the encrypted bytes of TLS.
 *
 * - `refuse`: resets a new connection at once. Does not affect an open one.
 * - `refuse-tls`: answers the handshake with an alert. Does not affect an open connection.
 * - `reset`: resets the connection (RST) after `after` bytes.
 * - `half-open`: after `after` bytes, silently drops everything that either side sends. The connection stays dead when
 *   the rule is removed.
 * - `stall`: holds all bytes until the rule is removed, then forwards them.
 * - `delay`: delays each piece by `duration` ms.
 * - `throttle`: forwards at most `bytesPerSecond` in each direction.
 * - `split`: forwards the bytes in packets of `size`.
 * - `corrupt`: changes one byte.
 * - `truncate`: closes the connection (FIN) after `after` bytes.
 */
export const connectionFaultSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('refuse') }),
  z.strictObject({ type: z.literal('refuse-tls') }),
  z.strictObject({ type: z.literal('reset'), after }),
  z.strictObject({ type: z.literal('half-open'), after }),
  z.strictObject({ type: z.literal('stall') }),
  delay,
  throttle,
  split,
  corrupt,
  truncate,
]);
export type ConnectionFault = z.infer<typeof connectionFaultSchema>;

/**
 * The message to lose. The server never receives a lost `request`; it has already handled one whose `response` is lost.
 */
const part = z.enum(['request', 'response']);

/**
 * Faults of a request and its response. Byte counts refer to the body of the response.
 *
 * - `pass`: no fault. Counts the matched requests.
 * - `answer`: responds in place of the server with a Status of code `status`, an optional `Retry-After` in seconds, and
 *   the reason of an optional `cause`.
 * - `drop`: loses the `request`, or the rest of the `response`, silently. The client waits.
 * - `reset`: like `drop`, but resets the client's stream; a `response` after `after` bytes of its body.
 * - `delay`: delays a request by `duration` ms before it is forwarded. Delays each event of an open watch.
 * - `repeat`: forwards the request twice and returns the second response. A watch sends each event twice.
 * - `stale`: answers a `GET` with an earlier response to the same request, `ago` responses back, or the oldest one
 *   since the rule was added. The server does not receive the request.
 * - `swallow`: removes bookmarks from a watch, or only the one that ends its initial events.
 * - `error-event`: sends an ERROR event of `status` before the next line of a watch, and ends the watch.
 * - `throttle`, `split`, `corrupt` (inserts a NUL, which is invalid in JSON), `truncate` (ends the body early, without
 *   an error): like those of a connection, for the body only.
 */
export const requestFaultSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('pass') }),
  z.strictObject({
    type: z.literal('answer'),
    status: z.int().min(400).max(599),
    retryAfter: z.int().nonnegative().optional(),
    reason: z.string().optional(),
    cause: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('drop'), part }),
  z.strictObject({ type: z.literal('reset'), part, after }),
  z.strictObject({ type: z.literal('repeat') }),
  z.strictObject({ type: z.literal('stale'), ago: z.int().positive() }),
  z.strictObject({ type: z.literal('swallow'), events: z.enum(['bookmarks', 'initial-events-end']) }),
  z.strictObject({ type: z.literal('error-event'), status: z.int().min(400).max(599), reason: z.string().optional() }),
  delay,
  throttle,
  split,
  corrupt,
  truncate,
]);
export type RequestFault = z.infer<typeof requestFaultSchema>;

/** Faults that apply to a stream of bytes, in either direction. */
export type ByteFault = Extract<
  ConnectionFault | RequestFault,
  { readonly type: 'half-open' | 'stall' | 'delay' | 'throttle' | 'split' | 'corrupt' | 'truncate' | 'reset' | 'drop' }
>;

/** Selects requests. Absent fields match every request. */
export const routeSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  /** Matches the URL with its query: a pattern, or a substring. */
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  /** Whether the request is a watch. */
  watch: z.boolean().optional(),
});
export type Route = z.infer<typeof routeSchema>;

/** Selects among the connections or requests that a rule applies to. */
export const scheduleSchema = z.strictObject({
  /** Number of connections or requests to let through before the fault applies. Default: 0. */
  skip: z.int().nonnegative().default(0),
  /** Selects every n-th after those. Default: 1. */
  every: z.int().positive().default(1),
  /** Probability for each of those, decided by the seed. Default: 1. */
  probability: z.number().min(0).max(1).default(1),
  /** Maximum number of faults. Default: no limit. */
  times: z.int().positive().default(Infinity),
  /** Time in milliseconds after which the rule is removed. Default: never. */
  for: duration.optional(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** A fault, its targets, and its schedule. It also applies to connections and requests that are already open. */
export const ruleSchema = z.discriminatedUnion('on', [
  z.strictObject({
    on: z.literal('connections'),
    fault: connectionFaultSchema,
    when: scheduleSchema.prefault({}),
  }),
  z.strictObject({
    on: z.literal('requests'),
    match: routeSchema.default({}),
    fault: requestFaultSchema,
    when: scheduleSchema.prefault({}),
  }),
]);
