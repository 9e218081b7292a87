import { describe, expect, it } from '@jest/globals';
import { StatusError } from '../status.ts';
import { jsonPatch } from './json-patch.ts';

const codeOf = (run: () => unknown): number => {
  try {
    run();
  } catch (error) {
    return error instanceof StatusError ? error.code : 0;
  }
  return 200;
};

describe('JSON patch', () => {
  it('K-12: adds, replaces, removes, moves, copies and tests (RFC 6902)', () => {
    const patched = jsonPatch({ a: { b: [1, 2] }, c: 'old', d: 'moved', e: 'gone' }, [
      { op: 'test', path: '/a', value: { b: [1, 2] } },
      { op: 'add', path: '/a/b/1', value: 'inserted' },
      { op: 'add', path: '/a/b/-', value: 'last' },
      { op: 'replace', path: '/c', value: 'new' },
      { op: 'move', from: '/d', path: '/a/d' },
      { op: 'copy', from: '/a/d', path: '/f' },
      { op: 'remove', path: '/e' },
    ]);
    expect(patched).toEqual({ a: { b: [1, 'inserted', 2, 'last'], d: 'moved' }, c: 'new', f: 'moved' });
  });

  it('K-12: sorts the fields of the objects on the paths of operations, and keeps the order of others', () => {
    const target = { z: { c: { y: 1, x: 2 }, b: [{ q: 1, p: 2 }] }, a: { d: 1, c: 2 } };
    const patched = jsonPatch(target, [
      { op: 'add', path: '/z/a', value: { n: 1, m: 2 } },
      { op: 'copy', from: '/z/b/0/q', path: '/__proto__' },
    ]);
    expect(JSON.stringify(patched)).toBe(
      '{"__proto__":1,"a":{"d":1,"c":2},"z":{"a":{"n":1,"m":2},"b":[{"p":2,"q":1}],"c":{"y":1,"x":2}}}',
    );
  });

  it('K-12: unescapes ~1 and ~0 in paths', () => {
    const labels = { 'example.com/a': '1', 'b~c': '2' };
    expect(jsonPatch({ labels }, [{ op: 'remove', path: '/labels/example.com~1a' }])).toEqual({
      labels: { 'b~c': '2' },
    });
    expect(jsonPatch({ labels }, [{ op: 'replace', path: '/labels/b~0c', value: '3' }])).toEqual({
      labels: { 'example.com/a': '1', 'b~c': '3' },
    });
  });

  it('K-12: a missing field of an object is null for test and copy', () => {
    const patch = [
      { op: 'test', path: '/metadata/finalizers', value: null },
      { op: 'test', path: '/metadata/finalizers' },
      { op: 'copy', from: '/metadata/labels', path: '/copied' },
    ];
    expect(jsonPatch({ metadata: {} }, patch)).toEqual({ metadata: {}, copied: null });
  });

  it('K-12: does not change the given object', () => {
    const target = { a: [1] };
    jsonPatch(target, [{ op: 'add', path: '/a/-', value: 2 }]);
    expect(target).toEqual({ a: [1] });
  });

  it('K-12: replaces the whole document at the empty path', () => {
    expect(jsonPatch({ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }])).toEqual({ b: 2 });
  });

  it.each([
    [{ op: 'test', path: '/a', value: 2 }, 422],
    [{ op: 'test', path: '/a', value: null }, 422],
    [{ op: 'test', path: '/missing/deep', value: null }, 422],
    [{ op: 'test', path: '/list/1', value: null }, 422],
    [{ op: 'move', from: '/missing', path: '/b' }, 422],
    [{ op: 'remove', path: '/missing' }, 422],
    [{ op: 'replace', path: '/list/7', value: 1 }, 422],
    [{ op: 'add', path: '/missing/deep', value: 1 }, 422],
    [{ op: 'add', path: '/list/7', value: 1 }, 422],
    [{ op: 'conjure', path: '/a' }, 422],
    [{ op: 'add', path: 'a', value: 1 }, 422],
  ])('K-12: refuses %j with %d', (operation, code) => {
    expect(codeOf(() => jsonPatch({ a: 1, list: [1] }, [operation]))).toBe(code);
  });

  it('K-12: counts negative indexes from the end', () => {
    const patched = jsonPatch({ a: [1, 2, 3] }, [
      { op: 'add', path: '/a/-1', value: 4 },
      { op: 'replace', path: '/a/-3', value: 'two' },
      { op: 'remove', path: '/a/-4' },
      { op: 'test', path: '/a/-1', value: 4 },
    ]);
    expect(patched).toEqual({ a: ['two', 3, 4] });
    expect(codeOf(() => jsonPatch({ a: [1] }, [{ op: 'add', path: '/a/-3', value: 0 }]))).toBe(422);
  });

  it.each([[5], [[]], ['x'], [true], [{ op: 5 }], [{ path: 5 }], [{ from: {} }]])(
    'K-12: cannot decode %j as an operation',
    (operation) => {
      expect(codeOf(() => jsonPatch({}, [operation]))).toBe(400);
    },
  );

  it('K-12: refuses patches with too many operations or too large copies, as kube-apiserver does', () => {
    const add = { op: 'add', path: '/a', value: 1 };
    expect(
      codeOf(() =>
        jsonPatch(
          {},
          Array.from({ length: 10_001 }, () => add),
        ),
      ),
    ).toBe(413);
    const copies = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/c${index}` }));
    expect(codeOf(() => jsonPatch({ data: { text: 'x'.repeat(1_000) } }, copies))).toBe(422);
  });

  it('S-6: treats __proto__ like any other field', () => {
    const patched = jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    expect(Object.hasOwn(patched as object, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
