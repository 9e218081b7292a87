import * as z from 'zod';
import type { FaultRule, FaultSchedule, RequestMatch } from './fault-rule.ts';

/** Milliseconds. */
const duration = z.number().nonnegative();
const after = z.int().nonnegative().default(0);

const delay = z.strictObject({ type: z.literal('delay'), duration });
const throttle = z.strictObject({ type: z.literal('throttle'), bytesPerSecond: z.number().positive() });
const split = z.strictObject({ type: z.literal('split'), size: z.int().positive() });
const corrupt = z.strictObject({ type: z.literal('corrupt'), after });
const truncate = z.strictObject({ type: z.literal('truncate'), after });

const connectionFaultSchema = z.discriminatedUnion('type', [
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
/** A `ConnectionFault` with its defaults. */
export type ParsedConnectionFault = z.infer<typeof connectionFaultSchema>;

const part = z.enum(['request', 'response']);

const requestFaultSchema = z.discriminatedUnion('type', [
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
/** A `RequestFault` with its defaults. */
export type ParsedRequestFault = z.infer<typeof requestFaultSchema>;

/** Faults that apply to a stream of bytes, in either direction. */
export type ByteFault = Extract<
  ParsedConnectionFault | ParsedRequestFault,
  { readonly type: 'half-open' | 'stall' | 'delay' | 'throttle' | 'split' | 'corrupt' | 'truncate' | 'reset' | 'drop' }
>;

const matchSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  watch: z.boolean().optional(),
} satisfies Record<keyof RequestMatch, z.ZodType>);

const scheduleSchema = z.strictObject({
  skip: z.int().nonnegative().default(0),
  every: z.int().positive().default(1),
  probability: z.number().min(0).max(1).default(1),
  times: z.int().positive().default(Infinity),
  for: duration.optional(),
} satisfies Record<keyof FaultSchedule, z.ZodType>);
/** A `FaultSchedule` with its defaults. */
export type ParsedSchedule = z.infer<typeof scheduleSchema>;

export const ruleSchema = z.discriminatedUnion('on', [
  z.strictObject({
    on: z.literal('connections'),
    fault: connectionFaultSchema,
    when: scheduleSchema.prefault({}),
  }),
  z.strictObject({
    on: z.literal('requests'),
    match: matchSchema.default({}),
    fault: requestFaultSchema,
    when: scheduleSchema.prefault({}),
  }),
]) satisfies z.ZodType<unknown, FaultRule>;
