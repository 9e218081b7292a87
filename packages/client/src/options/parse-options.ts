import type { output, z, ZodType } from 'zod';
import { shortened } from '../text/shortened.ts';
import { expectationText, wrongValueText } from './issue-text.ts';
import { checkOptionsObject } from './known-options.ts';

/**
 * Returns the options as `schema` reads them. Refuses options that are not a plain object, and unknown ones if the schema
 * is a strict object.
 *
 * A message of the schema that begins with `expected` is completed with the value that was found instead. Texts are
 * repeated only if they have the expected type, and cut, since they may be credentials in a wrong place.
 *
 * @param call name of the function or class in errors, for example `createManager`.
 * @param example what to pass, for errors about options that are not an object, for example `{ provider: ... }`.
 * @throws {TypeError} that names every wrong option, what was expected, and what was found.
 */
export function parseOptions<Schema extends ZodType>(
  call: string,
  schema: Schema,
  options: unknown,
  example?: string,
): output<Schema> {
  checkOptionsObject(call, options, example);
  const { data, error } = schema.safeParse(options, { error: expectationText });
  if (!error) return data;
  throw new TypeError(shortened(`${call}: ${error.issues.map((issue) => problemText(issue, options)).join('; ')}`));
}

function problemText(issue: z.core.$ZodIssue, options: unknown): string {
  const { message, path } = issue;
  // A discriminator is one of a few words, like the value of an enum.
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
