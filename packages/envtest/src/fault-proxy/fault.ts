import { z } from 'zod';

/** Milliseconds. */
const duration = z.number().nonnegative();
/** Bytes from the server that pass before the fault strikes, counted from when it came to be in force. */
const after = z.int().nonnegative().default(0);

const delay = z.strictObject({ type: z.literal('delay'), duration });
const throttle = z.strictObject({ type: z.literal('throttle'), bytesPerSecond: z.number().positive() });
const split = z.strictObject({ type: z.literal('split'), size: z.int().positive() });
const corrupt = z.strictObject({ type: z.literal('corrupt'), after });
const truncate = z.strictObject({ type: z.literal('truncate'), after });

/**
 * What can befall a connection. Its bytes are those of TLS: nothing in here knows what they mean.
 *
 * - `refuse`: it is reset as soon as it is made. Does nothing to one that is open.
 * - `refuse-tls`: its handshake is answered with an alert. Does nothing to one that is open.
 * - `reset`: it ends with RST, `after` so many bytes.
 * - `half-open`: from `after` so many bytes on whatever either side sends is lost, and neither is told. For good: it
 *   stays so when the fault is removed.
 * - `stall`: nothing passes while the fault is there, and then all that came meanwhile.
 * - `delay`: each piece waits for `duration` ms.
 * - `throttle`: no more than `bytesPerSecond` pass each way.
 * - `split`: the bytes pass in packets of `size`.
 * - `corrupt`: one byte is another one.
 * - `truncate`: it ends with FIN, `after` so many bytes.
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

/** Which message is lost. Of a lost `request` the server never hears; a lost `response` tells of what it has done. */
const part = z.enum(['request', 'response']);

/**
 * What can befall a request and its answer. Bytes are those of the answer's body.
 *
 * - `pass`: nothing does; the hits are the requests that came.
 * - `answer`: the server is not asked; the client is given a Status of `status`, with `Retry-After` in seconds, and
 *   the reason of a `cause`.
 * - `drop`: the `request` or the `response` (from now on) is lost for good, and nobody is told: the client waits.
 * - `reset`: the same, and the client's stream is reset; the `response` `after` so many bytes of its body.
 * - `delay`: the request waits for `duration` ms before it is passed on; of a watch that is open, each event does.
 * - `repeat`: the request is passed on twice, and answered by what the second one was; a watch tells each event twice.
 * - `stale`: a `GET` is answered as the same one was earlier, `ago` answers back; at most the oldest since the fault
 *   is there. The server is not asked.
 * - `swallow`: a watch leaves out its bookmarks, or only the one that ends its initial events.
 * - `error-event`: a watch tells an ERROR event of `status` before whatever comes next, and ends.
 * - `throttle`, `split`, `corrupt` (a byte is NUL, which no JSON has), `truncate` (the body ends early, in good
 *   order): as with a connection, of the body alone.
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

/** The faults that pieces of a stream of bytes can meet, in whichever of the two ways. */
export type ByteFault = Extract<
  ConnectionFault | RequestFault,
  { readonly type: 'half-open' | 'stall' | 'delay' | 'throttle' | 'split' | 'corrupt' | 'truncate' | 'reset' | 'drop' }
>;

/** Which requests. What is left out does not matter. */
export const routeSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  /** Of the URL with its query: what it matches, or the text that it has in it. */
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  /** Whether it is a watch. */
  watch: z.boolean().optional(),
});
export type Route = z.infer<typeof routeSchema>;

/** Which of the connections or requests that a rule is on. */
export const scheduleSchema = z.strictObject({
  /** So many pass unharmed at first. Default: none. */
  skip: z.int().nonnegative().default(0),
  /** After those, every n-th. Default: 1. */
  every: z.int().positive().default(1),
  /** Of those, by chance: the seed decides. Default: 1. */
  probability: z.number().min(0).max(1).default(1),
  /** Of those, so many at most. Default: no limit. */
  times: z.int().positive().default(Infinity),
  /** The rule is removed after this long, in milliseconds. Default: never. */
  for: duration.optional(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** A fault, what it is on, and when it strikes. It is also on what is open already. */
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
