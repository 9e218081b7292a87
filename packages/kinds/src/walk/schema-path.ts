import { SchemaError } from './schema-error.ts';

const MAX_DEPTH = 64;
const MAX_SCHEMAS = 50_000;

/** Options that hold for a whole walk. */
export interface TranslationOptions {
  /** Names the kind in errors, such as `kind Backup`. */
  readonly subject: string;
  /** How to treat functions that check values, such as `.refine()`: `webhook` leaves them to a webhook. */
  readonly refinements: 'refuse' | 'webhook';
}

/** Where the walk is: the path of the field, and the schemas that contain it. */
export class SchemaPath {
  readonly path: string;
  readonly options: TranslationOptions;
  readonly #ancestors: readonly object[];
  readonly #count: { schemas: number };

  private constructor(
    path: string,
    options: TranslationOptions,
    ancestors: readonly object[] = [],
    count: { schemas: number } = { schemas: 0 },
  ) {
    this.path = path;
    this.options = options;
    this.#ancestors = ancestors;
    this.#count = count;
  }

  static root(path: string, options: TranslationOptions): SchemaPath {
    return new SchemaPath(path, options);
  }

  /** @param name name of the property. */
  property(name: string): SchemaPath {
    return this.#at(
      /^[A-Za-z_$][\w$-]*$/.test(name) ? `${this.path}.${name}` : `${this.path}[${JSON.stringify(name)}]`,
    );
  }

  items(): SchemaPath {
    return this.#at(`${this.path}[]`);
  }

  values(): SchemaPath {
    return this.#at(`${this.path}{}`);
  }

  /** Enters a schema. Refuses one that contains itself, and schemas that are too deep or too large. */
  inside(schema: object): SchemaPath {
    this.#count.schemas += 1;
    if (this.#ancestors.includes(schema)) {
      this.fail('the schema contains itself, and a structural schema is finite', 'use k8s.raw() for the inner part');
    }
    if (this.#ancestors.length >= MAX_DEPTH) {
      this.fail(`the schema has more than ${MAX_DEPTH} levels`, 'use k8s.raw() for the inner part');
    }
    if (this.#count.schemas > MAX_SCHEMAS) {
      this.fail(`the kind has more than ${MAX_SCHEMAS} schemas`, 'use k8s.raw() for a part of it');
    }
    return new SchemaPath(this.path, this.options, [...this.#ancestors, schema], this.#count);
  }

  /** @throws {SchemaError} always. */
  fail(problem: string, remedy: string): never {
    throw new SchemaError(this.options.subject, this.path, problem, remedy);
  }

  #at(path: string): SchemaPath {
    return new SchemaPath(path, this.options, this.#ancestors, this.#count);
  }
}
