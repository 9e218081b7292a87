import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject, ObjectMeta } from '@mcr/client';
import { addFinalizer, containsFinalizer, removeFinalizer } from './finalizer.ts';
import { Finalizers } from './finalizers.ts';

const objectOf = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: '', ...metadata },
});
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('a finalizer', () => {
  it.each([
    [undefined, 'undefined'],
    ['', 'an empty text'],
  ])('is refused without a name (%j)', (name, found) => {
    const object = objectOf();
    expect(() => addFinalizer(object, name as string)).toThrow(
      `addFinalizer: expected the name of a finalizer, such as example.com/cleanup, found ${found}`,
    );
    expect(object.metadata.finalizers).toBeUndefined();
  });

  it('is added once and removed once, and others are kept', () => {
    const object = objectOf({ finalizers: ['a/other'] });
    expect(addFinalizer(object, 'a/mine')).toBe(true);
    expect(addFinalizer(object, 'a/mine')).toBe(false);
    expect(containsFinalizer(object, 'a/mine')).toBe(true);
    expect(object.metadata.finalizers).toEqual(['a/other', 'a/mine']);
    expect(removeFinalizer(object, 'a/mine')).toBe(true);
    expect(removeFinalizer(object, 'a/mine')).toBe(false);
    expect(object.metadata.finalizers).toEqual(['a/other']);
    expect(addFinalizer(objectOf(), 'a/mine')).toBe(true);
  });
});

describe('Finalizers', () => {
  const ran: string[] = [];
  const finalizers = new Finalizers()
    .register('a/one', async () => void ran.push('one'))
    .register('a/two', async ({ metadata }) => {
      ran.push('two');
      if (metadata.labels?.['stuck']) throw new Error('the bucket is locked');
      return { statusUpdated: true };
    })
    .register('a/three', async () => void ran.push('three'));

  it('adds missing finalizers to an object that is not being deleted, and runs none', async () => {
    ran.length = 0;
    const object = objectOf({ finalizers: ['a/two', 'b/other'] });
    expect(await finalizers.finalize(object)).toEqual({ updated: true, statusUpdated: false });
    expect(object.metadata.finalizers).toEqual(['a/two', 'b/other', 'a/one', 'a/three']);
    expect(await finalizers.finalize(object)).toEqual({ updated: false, statusUpdated: false });
    expect(ran).toEqual([]);
  });

  it('runs the finalizers of an object that is being deleted, and removes them', async () => {
    ran.length = 0;
    const object = objectOf({ ...deleted, finalizers: ['a/two', 'b/other', 'a/one'] });
    expect(await finalizers.finalize(object)).toEqual({ updated: true, statusUpdated: true });
    expect(ran).toEqual(['one', 'two']);
    expect(object.metadata.finalizers).toEqual(['b/other']);
    expect(await finalizers.finalize(object)).toEqual({ updated: false, statusUpdated: false });
  });

  it('keeps a failed finalizer, continues with the others, and names it in the error', async () => {
    const labels = { stuck: 'true' };
    const object = objectOf({ ...deleted, labels, finalizers: ['a/one', 'a/two', 'a/three'] });
    const { updated, error } = await finalizers.finalize(object);
    expect(updated).toBe(true);
    expect(object.metadata.finalizers).toEqual(['a/two']);
    expect(error?.errors).toEqual([new Error('finalizer a/two failed')]);
    expect((error?.errors[0] as Error).cause).toEqual(new Error('the bucket is locked'));
  });

  it('refuses a key that is in use, and passes the signal on', async () => {
    expect(() => finalizers.register('a/one', async () => undefined)).toThrow(
      /finalizer "a\/one" is registered already/,
    );
    const { signal } = new AbortController();
    let given: unknown;
    const single = new Finalizers().register('a/one', async (_, context) => void (given = context.signal));
    await single.finalize(objectOf({ ...deleted, finalizers: ['a/one'] }), { signal });
    expect(given).toBe(signal);
  });
});
