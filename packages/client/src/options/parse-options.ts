import type { output, z, ZodType } from 'zod';
import { shortened } from '../text/shortened.ts';
import { isPlainObject } from './plain-object.ts';
import { foundText } from './found-text.ts';
import { expectationText, wrongValueText } from './issue-text.ts';

/**
 * Parses options with `schema`. Refuses options that are not a plain object, and unknown options if the schema is a
 * strict object.
 *
 * If a message of the schema begins with `expected`, the error adds the value that was found. A string may be a
 * credential in the wrong place, so the error repeats it only where a string was expected and only if it is short.
 *
 * @param call name of the function or class in errors, for example `createManager`.
 * @param example correct options, shown in errors about options that are not an object: `{ provider: ... }`.
 * @throws {TypeError} with the name of every wrong option, what was expected, and what was found.
 */
export function parseOptions<Schema extends ZodType>(
  call: string,
  schema: Schema,
  options: unknown,
  example?: string,
): output<Schema> {
  checkOptionsObject(call, options, example);
  return parseFields(call, schema, options);
}

/** Like {@link parseOptions}, for a value that is already known to be an object. */
export function parseFields<Schema extends ZodType>(call: string, schema: Schema, options: unknown): output<Schema> {
  const { data, error } = schema.safeParse(options, { error: expectationText });
  if (!error) return data;
  throw new TypeError(shortened(`${call}: ${error.issues.map((issue) => problemText(issue, options)).join('; ')}`));
}

function problemText(issue: z.core.$ZodIssue, options: unknown): string {
  const { message, path } = issue;
  // A discriminator is one of a few known strings, like the value of an enum.
  const code = 'discriminator' in issue ? 'invalid_value' : issue.code;
  if (code === 'unrecognized_keys') return message;
  const subject = path.length > 0 ? `option ${JSON.stringify(path.join('.'))}: ` : '';
  if (!message.startsWith('expected ') || message.includes(', found ')) return subject + message;
  return `${subject}${message}, found ${wrongValueText(code, valueAt(options, path))}`;
}

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (Object(value) as Readonly<Record<PropertyKey, unknown>>)[name],
    options,
  );
}

/**
 * Refuses options that are not a plain object. An instance of a class, such as a provider passed instead of
 * `{ provider }`, often has no fields that are refused as unknown, and would otherwise be ignored.
 *
 * @param example correct options, shown in the error, for example `{ provider: ... }`.
 * @throws {TypeError} with the type of the value that was found.
 */
function checkOptionsObject(call: string, options: unknown, example?: string): asserts options is object {
  if (isPlainObject(options)) return;
  const hint = example === undefined ? '' : ` such as ${example}`;
  throw new TypeError(`${call}: expected options as a plain object${hint}, found ${foundText(options)}`);
}
