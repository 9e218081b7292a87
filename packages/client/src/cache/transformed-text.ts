import { formatJson } from '../json/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject, ObjectMeta } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { namedObjectProblem } from '../kinds/object-shape.ts';
import { foundText } from '../options/found-text.ts';
import { isPromise } from '../options/is-promise.ts';
import { shortened } from '../text/shortened.ts';
import { DEFAULT_LIMITS } from '../transport/response-limits.ts';
import { CacheTransformError } from './cache-transform-error.ts';

/** Fields that identify an object and its version. */
const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion'] as const;

/** Maximum length of another error's message in an error, in bytes. */
const MESSAGE_BYTES = 512;

/**
 * Calls a user's transform, and returns its result as JSON text.
 *
 * @param size size of the object from the server, in bytes. The result may be as large, or as large as the default of
 * `limits.object`, whichever is larger.
 * @throws {CacheTransformError} if the transform throws, or its result cannot be cached.
 */
export function transformedText<T extends KubernetesObject>(
  kind: Kind<T>,
  transform: (object: T) => T,
  object: T,
  size: number,
): Buffer {
  // Read first, because the transform may change the object.
  const identity = IDENTITY.map((field) => object.metadata[field]);
  const subject = `the transform of ${kindText(kind)} ${objectKeyText(object.metadata)}`;
  const result = attempt(`${subject} failed`, () => transform(object) as unknown);
  if (isPromise(result))
    throw new CacheTransformError(`${subject} returned a promise: the function must be synchronous`);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new CacheTransformError(`${subject} returned ${foundText(result)}: return the object, changed or copied`);
  }
  const metadata: Partial<ObjectMeta> = (result as Partial<KubernetesObject>).metadata ?? {};
  if (IDENTITY.some((field, at) => metadata[field] !== identity[at])) {
    throw new CacheTransformError(
      `${subject} must return an object that has the same metadata.name, namespace, uid and resourceVersion`,
    );
  }
  const problem = namedObjectProblem(result, 'result');
  if (problem !== undefined) throw new CacheTransformError(`${subject} returned a wrong object: ${problem}`);
  const text = attempt(`${subject} returned an object that JSON cannot represent`, () => {
    const json = formatJson(result);
    refuseOthers(result);
    return Buffer.from(json);
  });
  const limit = Math.max(DEFAULT_LIMITS.object, size);
  if (text.length <= limit) return text;
  throw new CacheTransformError(
    `${subject} returned an object of ${text.length} bytes, more than the limit of ${limit} bytes: keep less of the object`,
  );
}

/** Adds `message` to the errors of `work`. */
function attempt<R>(message: string, work: () => R): R {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CacheTransformError(`${message}: ${shortened(reason, MESSAGE_BYTES)}`, { cause });
  }
}

/**
 * Refuses values that would be omitted or changed in JSON. Fields that are `undefined` are omitted on purpose.
 *
 * @param root a value that does not contain itself.
 */
function refuseOthers(root: object): void {
  const holders: object[] = [root];
  for (let holder = holders.pop(); holder; holder = holders.pop()) {
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) holders.push(value as object);
      else if (!isJson(value)) throw new TypeError(`field ${JSON.stringify(name)} is ${otherText(value)}: remove it`);
    }
  }
}

function isJson(value: unknown): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'function' && typeof value !== 'symbol';
}

function otherText(value: unknown): string {
  if (typeof value === 'bigint') return 'a bigint of more than 64 bits';
  return typeof value === 'number' ? String(value) : foundText(value);
}
