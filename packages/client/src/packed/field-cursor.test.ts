import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { FieldCursor, FieldName } from './field-cursor.ts';

describe('FieldCursor', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('finds names with escapes and without', () => {
    const bytes = Buffer.from('{"\\u006eame":1,"n\\u0061me":2,"name":3,"\\n":4,"é":5,"\\u00e9":6}');
    const fields = new FieldCursor(bytes, 0);
    const found: string[] = [];
    while (fields.next()) {
      for (const name of ['name', 'é', '\n']) if (fields.is(new FieldName(name))) found.push(name);
    }
    expect(found).toEqual(['name', 'name', 'name', '\n', 'é', 'é']);
  });

  it('decodes a name once, and only if its length can match', () => {
    const fields = new FieldCursor(Buffer.from(`{"\\u006eame":1,"\\u0061${'b'.repeat(200)}":2}`), 0);
    const names = ['name', 'kind', 'labels'].map((name) => new FieldName(name));
    const parse = jest.spyOn(JSON, 'parse');
    fields.next();
    expect(names.map((name) => fields.is(name))).toEqual([true, false, false]);
    expect(fields.name()).toBe('name');
    expect(parse).toHaveBeenCalledTimes(1);
    fields.next();
    expect(names.map((name) => fields.is(name))).toEqual([false, false, false]);
    expect(parse).toHaveBeenCalledTimes(1);
  });
});
