import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { ConfigMap, LazyObject } from '@mcr/client';
import { LazyCreateEvent } from './lazy-event.ts';

const decoding = (): never => {
  throw new Error('decoded');
};
const lazy: LazyObject<ConfigMap> = {
  key: { namespace: 'shop', name: 'db' },
  get object(): never {
    return decoding();
  },
  get metadata(): never {
    return decoding();
  },
};

describe('an event of a source', () => {
  it('is printed with its key and without its object, which is not decoded', () => {
    const event = new LazyCreateEvent<ConfigMap>('eu-1', lazy, { initial: true });
    expect(JSON.parse(JSON.stringify(event))).toEqual({
      ...{ clusterName: 'eu-1', type: 'create', initial: true },
      key: { namespace: 'shop', name: 'db' },
    });
    expect(inspect(event)).toContain("key: { namespace: 'shop', name: 'db' }");
  });
});
