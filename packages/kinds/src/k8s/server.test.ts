import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { crdOf, defineKind, k8s, newObject, structuralSchemaOf } from '../index.ts';

const names = { apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' } as const;

function structural(schema: z.ZodType) {
  return structuralSchemaOf(schema, 'schema', { subject: 'kind Thing', refinements: 'refuse' });
}

describe('schemas for third-party definitions', () => {
  it('KS-6: sets, replaces and removes keywords of the server only', () => {
    const object = k8s.onServer(z.object({ a: z.string(), b: z.string() }).partial(), {
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      minProperties: 1,
    });
    expect(structural(object.describe('One of both.').optional())).toEqual({
      type: 'object',
      description: 'One of both.',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      minProperties: 1,
    });
    expect(object.safeParse({}).success).toBe(true);
    const limits = {
      minimum: undefined,
      maximum: undefined,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    } as const;
    expect(structural(k8s.onServer(k8s.intOrString(), { ...limits, anyOf: [...limits.anyOf] }))).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
  });

  it('KS-6: has integers without limits, and patterns as the server has them', () => {
    expect(structural(k8s.integer('int32').min(0))).toEqual({ type: 'integer', format: 'int32', minimum: 0 });
    expect(structural(k8s.integer())).toEqual({ type: 'integer' });
    expect([1, 1.5, 2 ** 60].map((value) => k8s.integer().safeParse(value).success)).toEqual([true, false, false]);
    expect(structural(k8s.pattern('^[0-9]+$').max(9))).toEqual({ type: 'string', pattern: '^[0-9]+$', maxLength: 9 });
    expect(['12', 'a'].map((value) => k8s.pattern('^[0-9]+$').safeParse(value).success)).toEqual([true, false]);
    expect(k8s.pattern('^(?i)abort$').safeParse('go on').success).toBe(true);
  });

  it('KS-6: defines fields beside spec and status, limits of metadata, and a status without a subresource', () => {
    const Thing = defineKind({
      ...names,
      fields: z.object({ data: z.record(z.string(), z.string()).optional(), size: z.int32().default(1) }),
      metadata: z.object({ name: z.string().max(10).optional() }),
      status: z.object({ ready: z.boolean() }),
      statusSubresource: false,
    });
    const [version] = crdOf(Thing).spec.versions;
    expect(version?.subresources).toBeUndefined();
    expect(version?.schema?.openAPIV3Schema?.properties).toMatchObject({
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
      data: { type: 'object', additionalProperties: { type: 'string' } },
      size: { type: 'integer', default: 1 },
    });
    const object = newObject(Thing, { metadata: { namespace: 'default', name: 'a' }, data: { a: 'b' } });
    expect(object).toMatchObject({ metadata: { name: 'a' }, data: { a: 'b' }, size: 1 });
    const Served = defineKind({ ...names, fields: z.looseObject({}), statusSubresource: true });
    const [served] = crdOf(Served).spec.versions;
    expect(served?.subresources).toEqual({ status: {} });
    expect(served?.schema?.openAPIV3Schema).toMatchObject({ 'x-kubernetes-preserve-unknown-fields': true });
  });

  it('KS-6: refuses fields that every object has, or that have an option', () => {
    const fields = z.object({ kind: z.string() });
    expect(() => defineKind({ ...names, fields })).toThrow('fields.kind: the object has this field already: remove it');
    const twice = { ...names, spec: z.object({}), fields: z.object({ spec: z.object({}) }) };
    expect(() => defineKind(twice)).toThrow('fields.spec: the object has this field already: use the option spec only');
    expect(() => defineKind({ ...names, fields: z.record(z.string(), z.string()) })).toThrow(
      'fields: expected the schema of an object',
    );
  });

  it('KS-6: takes types that are written out', () => {
    interface Spec {
      size: number;
    }
    const Thing = defineKind({
      ...names,
      spec: k8s.typed<Spec, Partial<Spec>>(z.object({ size: z.int32().default(1) })),
    });
    expect(newObject(Thing, { metadata: { name: 'a' }, spec: {} }).spec.size).toBe(1);
  });

  it('KS-6: knows the fields of the types of Kubernetes, and the types of their values', () => {
    expect(k8s.fieldTypes('PodSpec')).toMatchObject({ containers: 'Container', nodeSelector: 'string' });
    const fields = { matchExpressions: 'LabelSelectorRequirement', matchLabels: 'string' };
    expect(k8s.fieldTypes('LabelSelector')).toEqual(fields);
    expect(k8s.fieldTypes('Widget')).toEqual({});
  });
});
