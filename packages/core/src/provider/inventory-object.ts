import { shortened, type DeepReadonly, type Secret } from '@mcr/client';
import type { ZodType } from 'zod';
import { TerminalError } from '../controller/reconcile/terminal-error.ts';

/** Maximum length of a message about a field, in bytes. */
const MAX_PROBLEM = 300;

/**
 * Returns `value` if `schema` accepts it. Use it for fields of inventory objects whose types the API server does not
 * check, for example because the schema of their CustomResourceDefinition is open.
 *
 * @param path path of the value within its object, for example `spec.server`.
 * @throws {TerminalError} if the value is invalid. The message names the field and does not quote the value. The error
 * is terminal, because only a change of the object can fix it.
 */
export function checkedField<T>(path: string, schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = [path, ...(issue?.path ?? [])].join('.');
  throw new TerminalError(shortened(`${field}: ${issue?.message ?? 'is not valid'}`, MAX_PROBLEM));
}

/**
 * Returns the decoded value of a key of a Secret, or `undefined` if the Secret does not have the key.
 *
 * @throws {TerminalError} if `data` or the value has a wrong type. The message does not quote them.
 */
export function secretValue({ data }: DeepReadonly<Pick<Secret, 'data'>>, key: string): Buffer | undefined {
  const found: unknown = data ?? {};
  if (typeof found !== 'object' || Array.isArray(found)) throw new TerminalError('data: expected an object');
  const value = (found as Readonly<Record<string, unknown>>)[key];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new TerminalError(`data.${key}: expected a string in base64`);
  return Buffer.from(value, 'base64');
}
