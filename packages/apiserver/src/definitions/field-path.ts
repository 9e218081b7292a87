import type { JsonSchema } from './json-schema.ts';
import { additionalOf } from './json-schema.ts';

/** A path to a field in the objects of a schema. */
export interface FieldPath {
  /** Form of the path in errors: `spec.labels[app]`. */
  readonly text: string;
  readonly steps: readonly string[];
  readonly schema: JsonSchema;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * Finds the field at a JSON path such as `.spec.labels['app']` in a schema. (Upstream: `ValidFieldPath` of
 * `pkg/apiserver/schema/cel`.)
 *
 * @throws {Error} if the path is invalid or the schema does not contain the field.
 */
export function findField(
  jsonPath: string,
  root: JsonSchema,
  { arrays = true }: { readonly arrays?: boolean } = {},
): FieldPath {
  const tokens = tokensOf(jsonPath);
  let text = '';
  const steps: string[] = [];
  let schema = root;
  const next = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new Error('unexpected end of JSON path');
    return token;
  };
  while (tokens.length > 0) {
    const token = next();
    let name: string;
    if (token === '[') {
      if (!arrays) throw new Error('array notation is not allowed');
      name = unquoted(next());
    } else if (token === '.') {
      name = next();
    } else {
      throw new Error(`expected [ or . but got: ${token}`);
    }
    const { properties } = schema;
    const additional = additionalOf(schema);
    if (properties) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property) throw new Error('does not refer to a valid field');
      schema = property;
      text += text === '' ? name : `.${name}`;
    } else if (additional) {
      schema = additional;
      text += `[${name}]`;
    } else {
      throw new Error('does not refer to a valid field');
    }
    steps.push(name);
    if (token !== '[') continue;
    const end = next();
    if (end !== ']') throw new Error(`expected ] but got ${end}`);
  }
  return { text, steps, schema };
}

function tokensOf(jsonPath: string): string[] {
  return jsonPath.match(/'(?:[^'\\]|\\.)*'|[.[\]]|'[^]*|[^.[\]]+/g) ?? [];
}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new Error(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replaceAll(/\\(.)/g, (match, letter: string) => {
    const value = ESCAPES[letter];
    if (value === undefined) throw new Error(`invalid string literal: invalid escape char ${match}`);
    return value;
  });
}
