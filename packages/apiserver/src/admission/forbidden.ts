import type { StatusError } from '../status.ts';
import { forbiddenBy } from '../status.ts';
import type { Attributes } from './attributes.ts';

/** Returns the error of a request that admission refuses. A new object may have no name yet. */
export function forbiddenFor({ type, name, object }: Attributes, why: string): StatusError {
  return forbiddenBy(type, name || object?.metadata.name || object?.metadata.generateName || 'Unknown', why);
}
