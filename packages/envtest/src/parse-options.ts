import type { output, ZodType } from 'zod';

/**
 * @param subject whose options they are, for example `startControlPlane`.
 * @throws {TypeError} that names every option which `schema` refuses, and says what was expected.
 */
export function parseOptions<Schema extends ZodType>(
  subject: string,
  schema: Schema,
  options: unknown,
): output<Schema> {
  const { data, error } = schema.safeParse(options);
  if (!error) return data;
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `option ${JSON.stringify(path.join('.'))}: ${message}` : message,
  );
  throw new TypeError(`${subject}: ${problems.join('; ')}`);
}
