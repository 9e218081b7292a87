import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseKubeconfig } from './kubeconfig.ts';
import { isKubeconfigError } from './kubeconfig-error.ts';

fc.configureGlobal({ seed: 1 });

/** Names with a meaning in JavaScript, YAML or a kubeconfig. */
const name = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '<<', 'name', 'user', 'exec'),
  fc.string({ maxLength: 8 }),
);

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.constantFrom(null, true, 0, -0, '', 'k', 'https://h'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

const valid = {
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  clusters: [{ name: 'k', cluster: { server: 'https://h:6443', 'tls-server-name': 'x', extensions: [] } }],
  users: [{ name: 'u', user: { token: 't', username: '', password: '', exec: null, 'as-groups': [] } }],
};

/** A kubeconfig in which some values are replaced by arbitrary values. */
const mutated = fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 3 }).map((mutations) =>
  mutations.reduce((text, [place, replacement]) => {
    const parsed = JSON.parse(text) as object;
    const holders = holdersOf(parsed);
    const [holder, key] = holders[place % holders.length] ?? [parsed, 'x'];
    Object.defineProperty(holder, key, { value: replacement, enumerable: true, configurable: true, writable: true });
    return JSON.stringify(parsed);
  }, JSON.stringify(valid)),
);

function holdersOf(node: unknown): [object, string][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => [[node, key] as [object, string], ...holdersOf(child)]);
}

/** A kubeconfig in which some characters are removed, inserted or replaced. */
const damaged = fc
  .tuple(
    fc.constantFrom(JSON.stringify(valid), JSON.stringify(valid, null, 2)),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 5 }), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 5 }),
  )
  .map(([text, cuts]) =>
    cuts.reduce((rest, [at, length, insertion]) => {
      const start = at % (rest.length + 1);
      return rest.slice(0, start) + insertion + rest.slice(start + length);
    }, text),
  );

const yaml = fc
  .array(
    fc.constantFrom(
      '- ',
      'a: ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '? ',
      ': ',
      '|',
      '>',
      '\n',
      '  ',
      '"',
      "'",
      '!!js/x ',
      '<<: ',
    ),
    { maxLength: 200 },
  )
  .map((parts) => parts.join(''));

const bytes = fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each).toString('utf8'));

const builtinProperties = Object.getOwnPropertyNames(Object.prototype);

describe('parseKubeconfig', () => {
  it.each<[string, fc.Arbitrary<string>, number]>([
    ['any bytes', bytes, 300],
    ['pieces of YAML', yaml, 500],
    ['any structure', value.map((each) => JSON.stringify(each)), 300],
    ['a kubeconfig with replaced values', mutated, 1_000],
    ['a damaged kubeconfig', damaged, 500],
  ])('S-6: for %s, returns a config or throws a KubeconfigError in bounded time', (_, texts, numRuns) => {
    fc.assert(
      fc.property(texts, fc.constantFrom('trusted' as const, 'untrusted' as const), (text, policy) => {
        const before = process.threadCpuUsage();
        try {
          expect(typeof parseKubeconfig(text, { policy }).server).toBe('string');
        } catch (error) {
          if (!isKubeconfigError(error)) throw error;
          expect(error.message.length).toBeLessThan(10_000);
        }
        expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(builtinProperties);
      }),
      { numRuns },
    );
  });
});
