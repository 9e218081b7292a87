import type { Kind, KubernetesObject } from '@mcr/core';
import { badRequest } from '../server/refused-request-error.ts';
import type { Conversion } from './conversion.ts';
import { conversion } from './conversion.ts';

/** A kind that converts its objects between its versions. `defineKindVersions` of `@mcr/kinds` returns one. */
export interface ConvertibleKind {
  /** The version that API servers store. */
  readonly storage: Kind<KubernetesObject>;
  /** The other versions. */
  readonly served: readonly Kind<KubernetesObject>[];
  /** Returns an object in another version, for example `shop.example.com/v1`. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject;
}

/** Whether a value is a {@link ConvertibleKind}. */
export function isConvertibleKind(value: unknown): value is ConvertibleKind {
  const { storage, served, convert } = Object(value) as Partial<Record<keyof ConvertibleKind, unknown>>;
  return typeof storage === 'object' && Array.isArray(served) && typeof convert === 'function';
}

/**
 * Returns the conversion of a kind. It refuses a version that the kind does not have with status 400: the definition of
 * the cluster is newer than this program, or older.
 *
 * @throws {TypeError} if `storage` is not a kind.
 */
export function conversionOf(convertible: ConvertibleKind): Conversion {
  const { storage: kind, served } = convertible;
  const versions = new Set([kind, ...served].map(({ apiVersion }) => apiVersion));
  return conversion({
    kind,
    convert: (object, toVersion) => {
      if (versions.has(object.apiVersion) && versions.has(toVersion)) return convertible.convert(object, toVersion);
      const known = [...versions].join(', ');
      throw badRequest(
        `this server converts ${kind.kind} between ${known} only: remove other versions from its definition`,
      );
    },
  });
}
