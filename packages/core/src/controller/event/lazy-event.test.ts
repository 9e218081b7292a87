import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { ConfigMap, LazyObject } from '@mcr/client';
import { LazyCreateEvent } from './lazy-event.ts';
import { objectEvent } from './object-event.ts';

const decoding = (): never => {
  throw new Error('decoded');
};
const lazyNamed = (name: string): LazyObject<ConfigMap> => ({
  key: { namespace: 'shop', name },
  get object(): never {
    return decoding();
  },
  get metadata(): never {
    return decoding();
  },
});
const lazy = lazyNamed('db');

describe('an event of a source', () => {
  it('has a key that no predicate or handler can change', () => {
    const metadata = { namespace: 'shop', name: 'db', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const { key } = objectEvent<ConfigMap>({ type: 'generic', clusterName: 'eu-1', object });
    expect(() => Object.assign(key, { name: 'other' })).toThrow(TypeError);
    expect(key).toEqual({ namespace: 'shop', name: 'db' });
  });

  it('is not deeply equal to another event', () => {
    const [a, b] = [lazy, lazyNamed('other')].map(
      (object) => new LazyCreateEvent<ConfigMap>('eu-1', object, { initial: true }),
    );
    expect(a).not.toEqual(b);
  });

  it('is printed with its key and without its object, which is not decoded', () => {
    const event = new LazyCreateEvent<ConfigMap>('eu-1', lazy, { initial: true });
    expect(JSON.parse(JSON.stringify(event))).toEqual({
      ...{ clusterName: 'eu-1', type: 'create', initial: true },
      key: { namespace: 'shop', name: 'db' },
    });
    expect(inspect(event)).toContain("key: { namespace: 'shop', name: 'db' }");
    expect(inspect(event)).not.toContain('Symbol');
  });
});
