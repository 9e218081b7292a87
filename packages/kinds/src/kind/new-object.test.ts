import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { crdOf, defineKind, newObject } from '../index.ts';

const names = { apiVersion: 'example.com/v1', kind: 'Task', plural: 'tasks', scope: 'Namespaced' } as const;

function taskWith(template: { args: string[] }) {
  return defineKind({
    ...names,
    spec: z.object({
      list: z.array(z.string()).default([]),
      template: z.object({ args: z.array(z.string()), tries: z.int32().default(3) }).prefault(template),
      steps: z.array(z.object({ on: z.array(z.string()).default(['a']) })).default([]),
    }),
  });
}

function templateDefault(kind: ReturnType<typeof taskWith>): unknown {
  const schema = crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema;
  return schema?.properties?.['spec']?.properties?.['template']?.default;
}

describe('newObject', () => {
  it('KS-1: shares no default between objects, or with the definition', () => {
    const Task = taskWith({ args: ['a'] });
    const create = () => newObject(Task, { metadata: { name: 'a' }, spec: { steps: [{}] } });
    const first = create();
    first.spec.list.push('b');
    first.spec.template.args.push('b');
    first.spec.steps[0]?.on.push('b');
    expect(create().spec).toEqual({ list: [], template: { args: ['a'], tries: 3 }, steps: [{ on: ['a'] }] });
    expect(templateDefault(Task)).toEqual({ args: ['a'] });
  });

  it('KS-1: keeps the default of the definition when its author changes the value later', () => {
    const template = { args: ['a'] };
    const Task = taskWith(template);
    template.args.push('b');
    expect(newObject(Task, { metadata: {}, spec: {} }).spec.template.args).toEqual(['a']);
    expect(templateDefault(Task)).toEqual({ args: ['a'] });
  });

  it('KS-1: shares nothing with the input', () => {
    const input = { metadata: { name: 'a', labels: { a: 'b' } }, spec: { list: ['a'] } };
    const object = newObject(taskWith({ args: [] }), input);
    object.metadata.labels = Object.assign(object.metadata.labels ?? {}, { c: 'd' });
    object.spec.list.push('b');
    expect(input).toEqual({ metadata: { name: 'a', labels: { a: 'b' } }, spec: { list: ['a'] } });
  });

  it('KS-1: adds defaults to fields that are undefined, and none for names of object methods', () => {
    const fields: Record<string, z.ZodType> = { constructor: z.string().default('a'), size: z.int32().default(1) };
    const Odd = defineKind({ ...names, spec: z.object(fields) });
    const { spec } = newObject(Odd, { metadata: {}, spec: { size: undefined } });
    expect(spec).toEqual({ constructor: 'a', size: 1 });
  });

  it('KS-1: names the version to pass for a kind of several versions', () => {
    const versions = { storage: taskWith({ args: [] }), served: [] };
    expect(() => newObject(versions as never, { metadata: {} } as never)).toThrow(
      'newObject: expected one version of a kind, found a kind of several versions: pass its property storage',
    );
  });

  it('KS-1: accepts an object without an optional field whose name objects inherit', () => {
    const spec = z.object({ toString: z.string().optional(), size: z.int32().default(1) } as never);
    const Task = defineKind({ ...names, spec });
    expect(JSON.stringify(newObject(Task, { metadata: { name: 'a' }, spec: {} }).spec)).toBe('{"size":1}');
    const given = { metadata: { name: 'a' }, spec: { toString: 'x' } } as never;
    expect(JSON.stringify(newObject(Task, given).spec)).toBe('{"toString":"x","size":1}');
  });

  it('KS-1: refuses an entry of a map that zod drops', () => {
    const Task = defineKind({ ...names, spec: z.object({ env: z.record(z.string(), z.string()) }) });
    const env = JSON.parse('{"__proto__":"x","b":"y"}') as Record<string, string>;
    expect(() => newObject(Task, { metadata: { name: 'a' }, spec: { env } })).toThrow(
      'newObject: spec.env.__proto__: zod',
    );
  });

  it('KS-2: refuses a kind with a field that zod ignores', () => {
    const spec = z.object(JSON.parse('{"__proto__":null}') as object as never);
    Object.defineProperty(spec._zod.def.shape, '__proto__', { value: z.string(), enumerable: true });
    expect(() => defineKind({ ...names, spec })).toThrow('spec.__proto__: zod ignores a field of this name');
  });
});
