import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../json/json.ts';
import { defineKind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { kubernetesObjectText } from '../packed/json.fixture.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { WatchDecodeError } from '../packed/watch-decode-error.ts';
import { WatchScanner } from '../packed/watch-scanner.ts';
import { indexFunction } from './index-extractor.ts';
import { EagerStore } from './eager-store.fixture.ts';
import type { PackedStore } from './packed-store.ts';
import { SlabPool } from './slab-pool.ts';

fc.configureGlobal({ seed: 1 });

const Item = defineKind({ apiVersion: 'v1', kind: 'Item' });

const itemOf = (name: string, resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'Item',
  metadata: { name, namespace: 'b', uid: 'u', resourceVersion },
});

/** Returns a store with the object of this JSON text; `undefined` if the watch refuses it. */
function storeOf(text: string, { compress = false } = {}): PackedStore<KubernetesObject> | undefined {
  const store = new EagerStore<KubernetesObject>({ kind: Item, freeze: true, slabs: new SlabPool(), compress });
  try {
    const scanner = new WatchScanner({ maxLine: 1024 * 1024 });
    for (const item of scanner.push(Buffer.from(`{"type":"ADDED","object":${text}}\n`)))
      if (item.type === 'objects') store.apply(item.batch, 0);
    return store;
  } catch (error) {
    if (error instanceof WatchDecodeError) return undefined;
    throw error;
  }
}

/** Returns the paths of all fields of a value, not those in arrays. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => [[name], ...pathsOf(field).map((below) => [name, ...below])]);
}

/** Returns those of some values that an index by path has for an object with this field `spec`. */
function valuesAt(names: readonly string[], spec: string, candidates: readonly string[]): string[] {
  const metadata = '{"name":"a","namespace":"b","uid":"u","resourceVersion":"1"}';
  const store = storeOf(`{"apiVersion":"v1","kind":"Item","metadata":${metadata},"spec":${spec}}`);
  store?.addIndex('path', ['spec', ...names]);
  expect(store?.stats()).toMatchObject({ objects: 1, decodes: 0, metadataDecodes: 0 });
  return candidates.filter((value) => store?.byIndex('path', value).length === 1);
}

function indexedAt(elements: readonly number[]): { readonly found: number; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const store = new EagerStore<KubernetesObject>({
    kind: Item,
    freeze: true,
    slabs: new SlabPool(),
    onIndexFailure: (index, { metadata }, error) => void failures.push(`${index} ${metadata.name}: ${String(error)}`),
  });
  store.addIndex('path', ['spec']);
  store.apply(packObjects('ADDED', [{ ...itemOf('a', '1'), spec: elements }]), 0);
  return { found: store.byIndex('path', '7').length, failures };
}

const OTHERS = ['', 'null', 'undefined', '[object Object]', '[]', 'NaN'];

describe('an index by path', () => {
  it.each<[title: string, spec: string, values: string[]]>([
    ['a string', '{"x":"node-1"}', ['node-1']],
    ['an empty string', '{"x":""}', ['']],
    ['escapes in the value', '{"x":"a\\u0062\\n\\"\\\\\\/"}', ['ab\n"\\/']],
    ['escapes in names', '{"\\u0078":"escaped"}', ['escaped']],
    ['the last of several fields', '{"x":"first","\\u0078":"second","x":"third"}', ['third']],
    ['the last of several fields without a value', '{"x":"first","x":null}', []],
    ['other alphabets', '{"x":"größe-日本-😀"}', ['größe-日本-😀']],
    ['escaped pairs of surrogates', '{"x":"\\ud83d\\ude00"}', ['😀']],
    ['true', '{"x":true}', ['true']],
    ['false', '{"x":false}', ['false']],
    ['a number', '{"x":8080}', ['8080']],
    ['a number in another notation', '{"x":1.50e1}', ['15']],
    ['the largest integer of 64 bits', '{"x":9223372036854775807}', ['9223372036854775807']],
    ['a negative integer beyond 2^53', '{"x":-9007199254740993}', ['-9007199254740993']],
    ['digits in a string', '{"x":"9007199254740993"}', ['9007199254740993']],
    ['null', '{"x":null}', []],
    ['no field', '{"y":"x"}', []],
    ['an object', '{"x":{"x":"a"}}', []],
    ['an empty array', '{"x":[]}', []],
    ['elements of an array', '{"x":["a","b","a",7,9007199254740993]}', ['a', 'b', '7', '9007199254740993']],
    ['the scalar elements of an array', '{"x":[{"x":"c"},["d"],null,"e"]}', ['e']],
    ['nothing below an array', '[{"x":"a"}]', []],
    ['nothing below a string', '"x"', []],
    ['nothing below null', 'null', []],
  ])('CL-4: reads %s without decoding the object', (_, spec, values) => {
    const wrong = ['a', 'c', 'd', 'first', 'second', '9223372036854775808', '-9007199254740992'];
    const candidates = [...new Set([...values, ...wrong, ...OTHERS])];
    expect(valuesAt(['x'], spec, candidates)).toEqual(values);
  });

  it('CL-4: reads names with dots, and names that objects inherit', () => {
    expect(valuesAt(['a.b/c'], '{"a":{"b/c":"no"},"a.b/c":"yes"}', ['no', 'yes'])).toEqual(['yes']);
    expect(valuesAt(['__proto__', 'constructor'], '{"__proto__":{"constructor":"own"}}', ['own'])).toEqual(['own']);
    expect(valuesAt(['constructor', 'name'], '{}', ['Object', ''])).toEqual([]);
  });

  it.each([false, true])('CL-4, PC-1, PC-8: has the values of arbitrary objects (compress: %s)', (compress) => {
    let values = 0;
    fc.assert(
      fc.property(kubernetesObjectText, fc.nat(), (text, choice) => {
        const store = storeOf(text, { compress });
        fc.pre(store !== undefined);
        const object = parseJson(text) as KubernetesObject;
        const paths = pathsOf(object).filter(([first, second]) => first !== 'metadata' || second !== 'managedFields');
        const names = paths[choice % paths.length] as readonly string[];
        store.addIndex('path', names);
        const expected = new Set(indexFunction(names)(object));
        values += expected.size;
        for (const value of expected) expect(store.byIndex('path', value)).toHaveLength(1);
        for (const value of OTHERS) expect(store.byIndex('path', value)).toHaveLength(expected.has(value) ? 1 : 0);
      }),
      { numRuns: 3_000 },
    );
    expect(values).toBeGreaterThan(500);
  });

  it('CL-4: omits an object with more than 10,000 values from the index', () => {
    const elements = Array.from({ length: 10_001 }, (_, index) => index);
    expect(indexedAt(elements.slice(1))).toEqual({ found: 1, failures: [] });
    const failures = ['path a: TypeError: more than 10000 values for one object: index fewer'];
    expect(indexedAt(elements)).toEqual({ found: 0, failures });
  });

  it('CL-4: follows changes of the object', () => {
    const store = new EagerStore<KubernetesObject>({ kind: Item, freeze: true, slabs: new SlabPool() });
    store.addIndex('node', ['spec', 'node']);
    const send = (type: 'ADDED' | 'MODIFIED' | 'DELETED', version: string, node: string | null) => {
      store.apply(packObjects(type, [{ ...itemOf('a', version), spec: { node } }]), 0);
      return ['x', 'y'].filter((value) => store.byIndex('node', value).length === 1);
    };
    expect(send('ADDED', '1', 'x')).toEqual(['x']);
    expect(send('MODIFIED', '2', 'y')).toEqual(['y']);
    expect(send('MODIFIED', '3', null)).toEqual([]);
    expect(send('MODIFIED', '4', 'x')).toEqual(['x']);
    expect(send('DELETED', '5', 'x')).toEqual([]);
  });
});
