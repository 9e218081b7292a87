import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { CacheTransformError } from './cache-transform-error.ts';
import { transformedText } from './transformed-text.ts';

const object = () =>
  ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } },
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1' },
  }) as unknown as ConfigMap;

/** Runs a transform that may return anything. */
function run(transform: (object: ConfigMap) => unknown, size = 100): string {
  return transformedText(ConfigMap, transform as (object: ConfigMap) => ConfigMap, object(), size).toString();
}

const returning = (fields: object) => () => ({ ...object(), ...fields });

describe('the result of a transform', () => {
  it('is encoded without fields that are undefined, and with 64-bit integers', () => {
    const text = run(returning({ data: undefined, large: 2n ** 62n }));
    expect(text).toBe(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"1"},' +
        '"large":4611686018427387904}',
    );
  });

  it('may be nested as deeply as API servers accept', () => {
    const text = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(run(returning({ data: JSON.parse(text) as unknown }))).toContain(text);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  let deep: object = {};
  for (let level = 0; level < 100_000; level += 1) deep = { deep };

  it.each<[string, (object: ConfigMap) => unknown, string]>([
    ['undefined', () => undefined, 'returned undefined: return the object, changed or copied'],
    ['null', () => null, 'returned null: return the object'],
    ['a string', () => 'x', 'returned a string: return the object'],
    ['an array', () => [], 'returned an array: return the object'],
    ['a promise', async () => object(), 'returned a promise: the function must be synchronous'],
    ['a promise that rejects', () => Promise.reject(new Error('x')), 'returned a promise: the function must be sync'],
    ['no metadata', () => ({}), 'must return an object that has the same metadata.name'],
    ['another name', (given) => ({ ...given, metadata: { ...given.metadata, name: 'b' } }), 'the same metadata.name'],
    ['another namespace', ({ metadata: { namespace: _, ...rest } }) => ({ metadata: rest }), 'the same metadata.name'],
    [
      'another uid',
      (given) => Object.assign(given, { metadata: Object.assign(given.metadata, { uid: 'v' }) }),
      'the same metadata.name',
    ],
    ['wrong labels', returning({ metadata: { ...object().metadata, labels: 5 } }), 'metadata.labels'],
    ['a function', returning({ data: { f: () => 1 } }), 'JSON cannot represent: field "f" is a function: remove it'],
    ['a symbol', returning({ data: [Symbol('s')] }), 'field "0" is a symbol: remove it'],
    ['NaN', returning({ data: { n: NaN } }), 'field "n" is NaN: remove it'],
    ['a large bigint', returning({ data: 2n ** 64n }), 'field "data" is a bigint of more than 64 bits: remove it'],
    ['a cycle', returning({ data: cycle }), 'JSON cannot represent'],
    ['a deep object', returning({ data: deep }), 'JSON cannot represent'],
    ['a large object', returning({ data: 'x'.repeat(9_000_000) }), 'more than the limit of 8388608 bytes: keep less'],
    [
      'an error',
      () => {
        throw new Error(`no such field ${'x'.repeat(100_000)}`);
      },
      'failed: no such field x',
    ],
  ])('is refused with an error that names the object: %s', (_, transform, message) => {
    const error = failureOf(() => run(transform));
    expect(error).toBeInstanceOf(CacheTransformError);
    expect(error.message).toMatch(/^the transform of v1 ConfigMap shop\/a /);
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(1_000);
  });

  it('may be as large as the object of a server with a higher limit', () => {
    const size = 10_000_000;
    expect(run(returning({ data: 'x'.repeat(9_000_000) }), size).length).toBeGreaterThan(9_000_000);
  });
});

function failureOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure');
}
