import type { Kind, KubernetesObject } from '@mcr/core';
import { checkKind, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';
import type { CallContext } from '../admission/admission-context.ts';

/** Converts one object. It may change the object that it gets, and return it. */
export type Convert = (
  object: KubernetesObject,
  /** The `apiVersion` to convert to, for example `shop.example.com/v2`. It differs from that of the object. */
  toVersion: string,
  context: CallContext,
) => KubernetesObject | Promise<KubernetesObject>;

/** Options of {@link conversion}. */
export interface ConversionOptions {
  /** The kind, in any of its versions: group, kind and `plural` count. */
  readonly kind: Kind<KubernetesObject>;
  /**
   * Converts an object. It may change labels and annotations, and no other metadata. The result has only values of JSON, and a
   * `spec` if the object has one: otherwise the review fails with status 500.
   */
  readonly convert: Convert;
}

/** Marks conversions, also those of another copy of this package. */
const CONVERSION: unique symbol = Symbol.for('mcr.dev/conversion') as typeof CONVERSION;

/** Converts the objects of a kind between its versions. Created by {@link conversion}. */
export interface Conversion extends ConversionOptions {
  readonly [CONVERSION]: true;
}

const schema = z.strictObject({
  kind: z.unknown(),
  convert: z.custom((value) => typeof value === 'function', 'expected a function'),
} satisfies Record<keyof ConversionOptions, z.ZodType>);

/**
 * Returns the conversion of a kind, for a server to register. The API server calls it for reads, writes and watches in
 * another version than the stored one.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid.
 */
export function conversion(options: ConversionOptions): Conversion {
  parseOptions('conversion', schema, options, '{ kind: ..., convert: (object, toVersion) => ... }');
  checkKind('conversion', options.kind);
  return Object.freeze({ ...options, [CONVERSION]: true as const });
}

/** Whether {@link conversion} returned this value. */
export function isConversion(value: unknown): value is Conversion {
  return typeof value === 'object' && value !== null && CONVERSION in value;
}
