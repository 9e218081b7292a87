import type { ZodType } from 'zod';

/**
 * Refuses options that `schema` does, unknown ones too (with a strict object schema).
 *
 * @param subject whose options they are, for example `createManager`.
 * @throws {TypeError} that names every option in question and says what was expected.
 */
export function checkOptions(subject: string, schema: ZodType, options: unknown): void {
  const result = schema.safeParse(options);
  if (result.success) return;
  const problems = result.error.issues.map((issue) => {
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      const unknown = issue.keys.map((key) => JSON.stringify(path ? `${path}.${key}` : key)).join(', ');
      return `unknown ${issue.keys.length === 1 ? 'option' : 'options'} ${unknown}`;
    }
    return path ? `option ${JSON.stringify(path)}: ${issue.message}` : issue.message;
  });
  throw new TypeError(`${subject}: ${problems.join('; ')}`);
}
