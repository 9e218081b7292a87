import type { KubernetesObject, ObjectMeta } from '@mcr/client';
import { kindText } from '@mcr/client';
import type { SchemaKind } from '../kind/define-kind.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import { convertedObject } from './converted-object.ts';

/** A kind of any type. */
export type AnyKind = SchemaKind<KubernetesObject, KubernetesObject>;

/** The result of a conversion: the fields of the object, and labels and annotations if they change. */
export type Converted<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  readonly metadata?: Partial<ObjectMeta>;
};

/** Converts objects of one version to the stored version, and back. Neither may lose anything. */
export interface Converters<Stored extends KubernetesObject, Served extends KubernetesObject> {
  /** Converts an object of the served version to the stored version. The object is a copy. */
  up(object: Served): Converted<Stored>;
  /** Converts an object of the stored version to the served version. The object is a copy. */
  down(object: Stored): Converted<Served>;
}

/** Converters without the types of the objects. */
export type AnyConverters = Converters<KubernetesObject, KubernetesObject>;

/** Marks kinds of several versions, also those of another copy of this package. */
const VERSIONS: unique symbol = Symbol.for('@mcr/kinds/versions') as typeof VERSIONS;

/** A kind of several versions, created by `defineKindVersions`. */
export class KindVersions<Storage extends AnyKind = AnyKind> {
  /** Whether `defineKindVersions` created this value, also that of another copy of this package. */
  static [Symbol.hasInstance](value: unknown): value is KindVersions {
    return typeof value === 'object' && value !== null && VERSIONS in value;
  }

  readonly [VERSIONS] = true;
  /** The version that the server stores. */
  readonly storage: Storage;
  /** The other versions that the server serves. */
  readonly served: readonly AnyKind[];
  /** Sources of all versions. The first is that of the stored one. */
  readonly definitions: readonly [KindDefinition, ...KindDefinition[]];
  readonly #converters: ReadonlyMap<string, AnyConverters>;

  /** @param converters converters by `apiVersion`. */
  constructor(
    storage: Storage,
    served: readonly AnyKind[],
    definitions: readonly [KindDefinition, ...KindDefinition[]],
    converters: ReadonlyMap<string, AnyConverters>,
  ) {
    this.storage = storage;
    this.served = served;
    this.definitions = definitions;
    this.#converters = converters;
  }

  /**
   * Converts an object to another version. Of its metadata, a converter may change labels and annotations only.
   *
   * @param apiVersion such as `shop.example.com/v1`.
   * @returns a new object.
   * @throws {TypeError} if a version is unknown, or a converter returned something else than a plain object of JSON values,
   * such as a Promise.
   */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    const stored = object.apiVersion === this.storage.apiVersion ? object : this.#step(object, 'up');
    return apiVersion === this.storage.apiVersion ? structuredClone(stored) : this.#step(stored, 'down', apiVersion);
  }

  #step(object: KubernetesObject, direction: 'up' | 'down', to: string = this.storage.apiVersion): KubernetesObject {
    const version = direction === 'up' ? object.apiVersion : to;
    const converters = this.#converters.get(version);
    if (!converters) {
      const known = [this.storage.apiVersion, ...this.#converters.keys()].join(', ');
      throw new TypeError(`${kindText(this.storage)}: the version ${version} is unknown: use one of ${known}`);
    }
    const subject = `${kindText(this.storage)}: conversion from ${object.apiVersion} to ${to}`;
    const result: unknown = converters[direction](structuredClone(object));
    const required =
      this.definitions.find(({ group, version: name }) => `${group}/${name}` === to)?.schema.required ?? [];
    return convertedObject(object, result, { apiVersion: to, required, subject });
  }
}
