import * as z from 'zod';
import { parseOptions, shortened } from '@mcr/core/provider';

/** One reason for a denial, about one field. (Upstream: `field.Error`, `metav1.StatusCause`.) */
export interface FieldCause {
  /** Path of the field, for example `spec.replicas` or `spec.ports[0].name`. */
  readonly field: string;
  /** The error, and the expected value. Shown to the user who sent the request. */
  readonly message: string;
  /** Default: `FieldValueInvalid`. */
  readonly reason?: string;
}

/** Options of {@link deny}. */
export interface DenyOptions {
  /** The fields that are wrong. Default: none. */
  readonly causes?: readonly FieldCause[];
  /** HTTP status code that the user gets, from 400 to 599. Default: 422 with `causes`, else 403. */
  readonly code?: number;
  /** Reason of the `Status`, for example `Forbidden`. Default: `Invalid` with `causes`, else `Forbidden`. */
  readonly reason?: string;
}

/** Marks denials, also those of another copy of this package. */
const DENIAL: unique symbol = Symbol.for('mcr.dev/denial') as typeof DENIAL;

/** A decision of a validator against a request. Created by {@link deny}. */
export interface Denial {
  readonly [DENIAL]: true;
  /** The text that clients show: the message, and the causes up to a limit. */
  readonly message: string;
  readonly causes: readonly FieldCause[];
  readonly code: number;
  readonly reason: string;
}

/** Number of causes that a denial keeps. */
const MAX_CAUSES = 100;
/** Size of the causes in the message, in bytes. The message itself has at most 1 KiB. */
const MAX_CAUSES_BYTES = 2048;
/** Size of one cause in the message, in bytes. */
const MAX_CAUSE_BYTES = 512;

const schema = z.strictObject({
  causes: z.array(z.strictObject({ field: z.string(), message: z.string(), reason: z.string().optional() })).optional(),
  code: z.int().min(400).max(599).optional(),
  reason: z.string().min(1).optional(),
} satisfies Record<keyof DenyOptions, z.ZodType>);

/**
 * Returns a denial, for a validator to return. A validator that throws fails the webhook instead: the API server then
 * applies the `failurePolicy`.
 *
 * Most clients show only the message of a `Status`. It therefore ends with the causes, for example
 * `the cart is invalid: spec.size: expected at most 9`, as many as fit into 2 KiB. (Upstream: `ErrorList.ToAggregate`.)
 *
 * @param message shown to the user who sent the request, up to 1 KiB.
 * @throws {TypeError} if an option is unknown or invalid.
 */
export function deny(message: string, options: DenyOptions = {}): Denial {
  const {
    causes = [],
    code,
    reason,
  } = parseOptions('deny', schema, options, "{ causes: [{ field: 'spec.size', ... }] }");
  const hasCauses = causes.length > 0;
  return Object.freeze({
    [DENIAL]: true as const,
    message: messageWith(shortened(message), causes),
    causes: causes.slice(0, MAX_CAUSES).map(({ field, message: text, reason: cause = 'FieldValueInvalid' }) => ({
      field: shortened(field),
      message: shortened(text),
      reason: cause,
    })),
    code: code ?? (hasCauses ? 422 : 403),
    reason: reason ?? (hasCauses ? 'Invalid' : 'Forbidden'),
  });
}

/** Appends the causes to the message, each one once. */
function messageWith(message: string, causes: readonly Pick<FieldCause, 'field' | 'message'>[]): string {
  const texts = [...new Set(causes.map(({ field, message: text }) => shortened(`${field}: ${text}`, MAX_CAUSE_BYTES)))];
  const shown: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text) + 2;
    if (bytes > MAX_CAUSES_BYTES) break;
    shown.push(text);
  }
  if (shown.length === 0) return message;
  const more = texts.length > shown.length ? ` (and ${texts.length - shown.length} more)` : '';
  return `${message}: ${shown.join(', ')}${more}`;
}

/** Whether {@link deny} returned this value. */
export function isDenial(value: unknown): value is Denial {
  return typeof value === 'object' && value !== null && DENIAL in value;
}
