import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import type { Kind, KubernetesObject } from '@mcr/core';
import { admit } from './admit.ts';
import { Cart, cart, StrictCart } from './cart.fixture.ts';
import { deny } from './denial.ts';
import { webhookFor } from './kind-webhook.ts';
import { SchemaAdmission } from './schema-admission.ts';

const carts = webhookFor(Cart)
  .default((object) => {
    object.spec.size ??= 3;
  })
  .validate({
    create: ({ spec }, { warn, audit }) => {
      warn('carts are\nbeta');
      audit('size', String(spec.size));
      return spec.size === 13
        ? deny('no carts of this size', { causes: [{ field: 'spec.size', message: 'unlucky' }] })
        : undefined;
    },
    update: ({ spec }, old) => (spec.zone === old.spec.zone ? undefined : deny('spec.zone is immutable')),
    delete: (_, { request }) => (request.userInfo.username === 'bob' ? deny('bob may not delete') : undefined),
  });

describe('admit', () => {
  it('WH-8: sends an object through defaults and validators without a server', async () => {
    const object = cart({});
    const result = await admit(carts, object);
    expect(result).toMatchObject({ allowed: true, object: { spec: { size: 3 } }, auditAnnotations: { size: '3' } });
    expect(result.warnings).toEqual(['carts are beta']);
    expect(object.spec).toEqual({});
  });

  it('WH-8: returns a denial with its causes, code and reason', async () => {
    const { allowed, denial } = await admit(carts, cart({ size: 13 }));
    expect(allowed).toBe(false);
    expect(denial).toMatchObject({
      message: 'no carts of this size: spec.size: unlucky',
      causes: [{ field: 'spec.size', message: 'unlucky', reason: 'FieldValueInvalid' }],
      code: 422,
      reason: 'Invalid',
    });
  });

  it('WH-7: shows the causes in the message that clients get, once each and in about 3 KiB', () => {
    const causes = [1, 2, 1].map((index) => ({ field: `spec.items[${index}].name`, message: 'required' }));
    expect(deny('the cart is invalid', { causes }).message).toBe(
      'the cart is invalid: spec.items[1].name: required, spec.items[2].name: required',
    );
    const many = Array.from({ length: 10_000 }, (_, index) => ({ field: `spec.${index}`, message: 'ü'.repeat(5000) }));
    const { message } = deny('ü'.repeat(5000), { causes: many });
    expect(message).toMatch(/ü…: spec\.0: ü+…, .* \(and 9997 more\)$/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(3 * 1024 + 100);
    expect(deny('no').message).toBe('no');
  });

  it('WH-8: gives updates both objects, and deletions the old one and the user', async () => {
    const moved = await admit(carts, cart({ zone: 'b' }), { oldObject: cart({ zone: 'a' }) });
    expect(moved.denial).toMatchObject({ message: 'spec.zone is immutable', code: 403, reason: 'Forbidden' });
    expect((await admit(carts, cart({}), { operation: 'DELETE' })).allowed).toBe(true);
    const byBob = await admit(carts, cart({}), { operation: 'DELETE', user: { username: 'bob' } });
    expect(byBob.denial?.message).toBe('bob may not delete');
  });

  it('WH-8: passes an error of a handler on, and refuses a result that is neither nothing nor a denial', async () => {
    const failing = webhookFor(Cart).validate({
      create: () => {
        throw new Error('the database is down');
      },
    });
    await expect(admit(failing, cart({}))).rejects.toThrow('the database is down');
    // A result that TypeScript does not allow.
    const wrong = webhookFor(Cart).validate({ create: () => false as unknown as undefined });
    await expect(admit(wrong, cart({}))).rejects.toThrow('return deny(message) to refuse');
  });

  it('WH-1: refuses options that are unknown or wrong, and names them', () => {
    expect(() => webhookFor('Cart' as unknown as typeof Cart)).toThrow('webhookFor: expected a kind');
    expect(() => webhookFor(Cart).validate({ created: () => undefined } as object)).toThrow('unknown option "created"');
    expect(() => webhookFor(Cart).with({ timeoutSeconds: 31 })).toThrow(
      '"timeoutSeconds": expected a number of at most 30',
    );
    expect(() => webhookFor(Cart).fromSchema()).toThrow('has no schema');
    expect(() => deny('no', { code: 200 })).toThrow('option "code"');
  });

  it('WH-1: limits warnings, and refuses keys of audit annotations that an API server would drop', async () => {
    const noisy = webhookFor(Cart).validate({
      create: (_, { warn, audit }) => {
        for (let count = 0; count < 100; count++) warn('x'.repeat(1000));
        expect(() => audit('shop.example.com/size', '1')).toThrow('leave out the prefix');
      },
    });
    const { warnings } = await admit(noisy, cart({}));
    expect(warnings).toHaveLength(16);
    expect(Buffer.byteLength(warnings.join(''))).toBeLessThanOrEqual(4096);
  });
});

describe('an object with many levels', () => {
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = [value];
    return { ...cart({}), spec: { zone: value } } as unknown as Cart;
  };
  const mutated = webhookFor(Cart).default((object) => {
    object.spec.size = 1;
  });

  it('WH-6: is denied instead of failing, because a failure may let it pass', async () => {
    expect((await admit(mutated, nested(998))).allowed).toBe(true);
    expect((await admit(mutated, nested(999))).denial).toMatchObject({
      code: 422,
      message: 'the object has more than 1000 levels',
    });
  });
});

describe('fromSchema', () => {
  const strict = webhookFor(StrictCart).fromSchema();
  /** The tests send objects that the schema refuses. */
  const object = (spec: object) => ({ ...cart({}), spec }) as typeof StrictCart extends Kind<infer T> ? T : never;

  it('WH-2: adds the defaults of the schema, and keeps fields that it does not know', async () => {
    const result = await admit(strict, object({ items: [{ name: 'x', colour: 'red' }], extra: 1 }));
    expect(result.object.spec).toEqual({ size: 1, items: [{ name: 'x', colour: 'red', count: 1 }], extra: 1 });
  });

  it('WH-2: refuses what the schema refuses, refinements included, and names each field', async () => {
    const refined = await admit(strict, object({ size: 3, zone: 'small' }));
    expect(refined.denial).toMatchObject({
      message: 'Cart is invalid: spec.size: at most 2 in zone small',
      causes: [{ field: 'spec.size', message: 'at most 2 in zone small' }],
    });
    const several = await admit(strict, object({ size: 0, items: [{ name: '' }] }));
    expect(several.denial?.causes.map(({ field }) => field)).toEqual(['spec.size', 'spec.items[0].name']);
    expect(several.denial?.message).toMatch(/^Cart is invalid: spec\.size: .*, spec\.items\[0\]\.name: /);
  });

  it('WH-2: accepts updates that leave a wrong value unchanged, and refuses those that change it to another wrong one', async () => {
    const oldObject = object({ size: 0 });
    expect((await admit(strict, object({ size: 0, zone: 'b' }), { oldObject })).allowed).toBe(true);
    expect((await admit(strict, object({ size: -1 }), { oldObject })).allowed).toBe(false);
  });

  it('WH-2: compares and reports a limited number of issues', async () => {
    const items = (count: number) => Array.from({ length: count }, () => ({ name: '' }));
    const oldObject = object({ items: items(10_000) });
    expect((await admit(strict, object({ items: items(10_000), zone: 'b' }), { oldObject })).allowed).toBe(true);
    const { denial } = await admit(strict, object({ items: items(10_001) }), { oldObject });
    expect(denial?.causes.map(({ field }) => field)).toEqual(['spec.items[10000].name']);
    const many = await admit(strict, object({ items: items(20_000) }));
    expect(many.denial?.message).toMatch(/ \(and 9\d\d more\)$/);
  });

  it.each([
    ['each of another path', (index: number) => ['spec', 'items', index]],
    ['all of one path', () => ['spec']],
  ])('WH-2: compares many issues in linear time, %s', (_, path) => {
    let reads = 0;
    let comparisons = 0;
    const issues = Array.from({ length: 1_000 }, (_value, index) => ({
      get message() {
        reads += 1;
        return `issue ${index}`;
      },
      path: path(index),
    }));
    const schema = { safeParse: () => ({ success: false, error: { issues } }) };
    const admission = new SchemaAdmission({ ...StrictCart, schema } as unknown as Kind<KubernetesObject>);
    const spec = () => ({
      items: Array.from(issues, () => 'a'),
      get size() {
        comparisons += 1;
        return 1;
      },
    });
    expect(admission.check({ spec: spec() }, { spec: spec() })).toBeUndefined();
    expect(reads).toBeLessThan(10 * issues.length);
    expect(comparisons).toBeLessThan(10);
  });

  /** Each of 30 fields that an object lacks is an issue. */
  const wide = z.object(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, z.string()])));

  it.each([
    ['wrong values', z.array(wide), Array.from({ length: 100_000 }, () => ({}))],
    ['a pattern that backtracks', z.string().regex(/^(\w+\s?)*$/u), `${'a'.repeat(32)}!`],
  ])('WH-2: interrupts a check that takes longer than a second because of %s, and denies', (_, value, wrong) => {
    const schema = z.object({ spec: z.object({ value }) });
    const admission = new SchemaAdmission({ ...StrictCart, schema });
    const before = { ...cart({}), spec: { value: wrong } };
    const expected = { code: 422, message: expect.stringContaining('the check of Cart takes longer than 1000 ms') };
    expect(admission.complete(before)).toMatchObject(expected);
    expect(admission.check(before)).toMatchObject(expected);
    expect(admission.check({ spec: { value: 1 } })?.causes).toMatchObject([{ field: 'spec.value' }]);
  });
});
