import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/client';
import { z } from 'zod';
import { defineKind, defineKindVersions } from '../index.ts';
import { checkConversions } from '../testing.ts';
import { firstDifference } from './first-difference.ts';

const names = { kind: 'Memo', plural: 'memos', scope: 'Namespaced' } as const;
const text = z.string().max(3000).optional();
const v1 = defineKind({ ...names, apiVersion: 'home.example.com/v1', spec: z.object({ text, note: text }) });
const v2 = defineKind({ ...names, apiVersion: 'home.example.com/v2', spec: z.object({ text }) });

interface Memo extends KubernetesObject {
  readonly spec: { readonly text?: string; readonly note?: string };
}
type Convert = (memo: Memo) => object;

const NOTE = 'home.example.com/note';

/** Keeps the note in an annotation, and all other annotations. */
const keepsAll = {
  up: ({ spec, metadata }: Memo) => {
    const { [NOTE]: note, ...annotations } = metadata.annotations ?? {};
    return { spec: { ...spec, ...(note !== undefined && { note }) }, metadata: { annotations } };
  },
  down: ({ spec: { note, ...spec }, metadata }: Memo) => ({
    spec,
    metadata: { annotations: { ...metadata.annotations, ...(note !== undefined && { [NOTE]: note }) } },
  }),
};

const check = (converters: { readonly up?: Convert; readonly down?: Convert }) => () => {
  const convert = { v2: { ...keepsAll, ...converters } };
  // The converters of some tests do not keep the types.
  return checkConversions(defineKindVersions({ storage: v1, served: [v2], convert } as never));
};

describe('checkConversions', () => {
  it('KS-3: accepts converters that leave empty annotations, which API servers drop', () => {
    expect(check({})()).toBe(200);
  });

  it('KS-3: finds a converter that replaces or drops the labels or annotations of users', () => {
    const replaces: Convert = ({ spec: { note, ...spec } }) => ({
      spec,
      ...(note !== undefined && { metadata: { annotations: { [NOTE]: note } } }),
    });
    expect(check({ down: replaces })).toThrow(/ and back: metadata\.annotations.* changed: expected .*, found nothing/);
    const dropsAll: Convert = (memo) => ({ ...keepsAll.up(memo), metadata: { annotations: undefined } });
    expect(check({ up: dropsAll })).toThrow('keep the labels and annotations of users');
    const dropsLabels: Convert = (memo) => ({ ...keepsAll.up(memo), metadata: { labels: {} } });
    expect(check({ up: dropsLabels })).toThrow(/metadata\.labels changed: expected \{"app":"[ab]".*\}, found nothing/);
  });

  it('KS-3: says which direction has to remove an annotation that the other one added', () => {
    const keepsNote: Convert = (memo) => ({ ...keepsAll.up(memo), metadata: {} });
    expect(check({ up: keepsNote })).toThrow(
      /metadata\.annotations.* changed: expected nothing, found .*: the conversion back must remove the labels and annotations that a conversion added: seed 1/,
    );
  });

  describe('with lists, maps and fields beside the spec', () => {
    interface Wide extends KubernetesObject {
      readonly spec: { readonly list?: string[]; readonly map?: Record<string, string> };
      readonly data?: Record<string, string>;
    }
    const strings = z.record(z.string(), z.string()).optional();
    const version = (name: string) =>
      defineKind({
        ...names,
        apiVersion: `home.example.com/${name}`,
        spec: z.object({ list: z.array(z.string()).optional(), map: strings }),
        fields: z.object({ data: strings }),
      });
    const checkUp = (up: (object: Wide) => object) => () => {
      const convert = { v2: { up, down: ({ spec, data }: Wide) => ({ spec, data }) } };
      return checkConversions(
        defineKindVersions({ storage: version('v1'), served: [version('v2')], convert } as never),
      );
    };

    it('KS-3: accepts a converter that keeps everything', () => {
      expect(checkUp(({ spec, data }) => ({ spec, data }))()).toBe(200);
    });

    it.each<[string, (object: Wide) => object, RegExp]>([
      [
        'keeps the first items of a list',
        ({ spec, data }) => ({ spec: { ...spec, list: spec.list?.slice(0, 10) }, data }),
        /spec\.list\[10\] changed/,
      ],
      [
        'drops the entries of a map whose names are inherited',
        ({ spec: { map, ...spec }, data }) => {
          const kept = map && Object.fromEntries(Object.entries(map).filter(([name]) => !(name in {})));
          return { spec: { ...spec, map: kept }, data };
        },
        /spec\.map\.(constructor|toString|hasOwnProperty) changed/,
      ],
      ['drops a field beside the spec', ({ spec }) => ({ spec }), /data changed/],
    ])('KS-3: finds a converter that %s', (_, up, problem) => {
      expect(checkUp(up)).toThrow(problem);
    });
  });

  it('KS-3: names the first field that differs, its values and the seed, in less than 2 KB', () => {
    const long = 'ü'.repeat(2500);
    const loses: Convert = ({ spec }) => ({ spec: { text: spec.text ?? long, note: 'other' } });
    let message = '';
    try {
      check({ up: loses })();
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(
      /^conversion of Memo from home\.example\.com\/v2 to home\.example\.com\/v1 and back: .* changed: .*seed 1, object \{/,
    );
    expect(message).toContain(`metadata.annotations`);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2000);
    const item = { list: [{ 'a.b/c': [1] }], same: long };
    const difference = firstDifference(item, { list: [{ 'a.b/c': [1, long] }], same: long });
    expect(difference).toEqual({
      path: 'list[0]["a.b/c"][1]',
      expected: 'nothing',
      found: expect.stringMatching(/^"ü+…$/),
    });
    expect(Buffer.byteLength(difference?.found ?? '')).toBeLessThanOrEqual(300);
  });
});
