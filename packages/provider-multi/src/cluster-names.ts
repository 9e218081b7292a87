import type { ClusterName } from '@mcr/core';
import { foundText } from '@mcr/core/provider';

/** The parts of a cluster's name in the fleet. */
export interface QualifiedName {
  readonly prefix: string;
  /** The cluster's name within its provider. */
  readonly name: ClusterName;
}

/** Converts names of a provider's clusters to names in the fleet and back: `<prefix><separator><name>`. */
export class ClusterNames {
  readonly #separator: string;

  constructor(separator: string) {
    this.#separator = separator;
  }

  qualify({ prefix, name }: QualifiedName): ClusterName {
    return prefix + this.#separator + name;
  }

  /** Splits a name at the first separator. Returns `undefined` if there is none. */
  split(qualified: ClusterName): QualifiedName | undefined {
    const at = qualified.indexOf(this.#separator);
    if (at < 0) return undefined;
    return { prefix: qualified.slice(0, at), name: qualified.slice(at + this.#separator.length) };
  }

  /** @throws {TypeError} if `prefix` is not a string, or its names could be confused with those of another prefix. */
  checkPrefix(prefix: unknown): void {
    if (typeof prefix !== 'string') {
      throw new TypeError(
        `MultiProvider.addProvider: expected a prefix first, found ${foundText(prefix)}: pass a string, as in addProvider('eu', provider)`,
      );
    }
    if (prefix === '') throw new TypeError('MultiProvider: expected a prefix, found an empty string');
    // A separator of several characters could begin in the prefix and end after it.
    if (this.split(prefix + this.#separator)?.prefix !== prefix) {
      throw new TypeError(
        `MultiProvider: prefix ${JSON.stringify(prefix)} contains the separator ${JSON.stringify(this.#separator)} ` +
          'or its beginning: choose another prefix, or another option "separator"',
      );
    }
  }
}
