import type { ClusterName } from '@mcr/core';
import { foundText } from '@mcr/core/provider';

/** A cluster's name in the fleet, taken apart. */
export interface QualifiedName {
  readonly prefix: string;
  /** The cluster's name within its provider. */
  readonly name: ClusterName;
}

/** How the names of a provider's clusters become names of the fleet, and back: `<prefix><separator><name>`. */
export class ClusterNames {
  readonly #separator: string;

  constructor(separator: string) {
    this.#separator = separator;
  }

  qualify({ prefix, name }: QualifiedName): ClusterName {
    return prefix + this.#separator + name;
  }

  /** Taken apart at the first separator; `undefined` without one. */
  split(qualified: ClusterName): QualifiedName | undefined {
    const at = qualified.indexOf(this.#separator);
    if (at < 0) return undefined;
    return { prefix: qualified.slice(0, at), name: qualified.slice(at + this.#separator.length) };
  }

  /** @throws {TypeError} if `prefix` is not text, or names with it could be confused with those of another prefix. */
  checkPrefix(prefix: unknown): void {
    if (typeof prefix !== 'string') {
      throw new TypeError(
        `MultiProvider.addProvider: expected a prefix first, found ${foundText(prefix)}: pass a text, as in addProvider('eu', provider)`,
      );
    }
    if (prefix === '') throw new TypeError('MultiProvider: expected a prefix, found an empty text');
    // A separator of several characters may also begin within the prefix and end behind it.
    if (this.split(prefix + this.#separator)?.prefix !== prefix) {
      throw new TypeError(
        `MultiProvider: the prefix ${JSON.stringify(prefix)} holds the separator ${JSON.stringify(this.#separator)}, ` +
          'or its beginning: choose another prefix, or another option "separator"',
      );
    }
  }
}
