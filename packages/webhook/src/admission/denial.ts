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
  readonly message: string;
  readonly causes: readonly FieldCause[];
  readonly code: number;
  readonly reason: string;
}

/** Number of causes that a denial keeps. */
const MAX_CAUSES = 100;

const schema = z.strictObject({
  causes: z.array(z.strictObject({ field: z.string(), message: z.string(), reason: z.string().optional() })).optional(),
  code: z.int().min(400).max(599).optional(),
  reason: z.string().min(1).optional(),
} satisfies Record<keyof DenyOptions, z.ZodType>);

/**
 * Returns a denial, for a validator to return. A validator that throws fails the webhook instead: the API server then
 * applies the `failurePolicy`.
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
    message: shortened(message),
    causes: causes.slice(0, MAX_CAUSES).map(({ field, message: text, reason: cause = 'FieldValueInvalid' }) => ({
      field: shortened(field),
      message: shortened(text),
      reason: cause,
    })),
    code: code ?? (hasCauses ? 422 : 403),
    reason: reason ?? (hasCauses ? 'Invalid' : 'Forbidden'),
  });
}

/** Whether {@link deny} returned this value. */
export function isDenial(value: unknown): value is Denial {
  return typeof value === 'object' && value !== null && DENIAL in value;
}
