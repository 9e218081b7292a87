import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { cacheFixture } from './cache.fixture.ts';

describe('a handler', () => {
  const test = cacheFixture();

  it.each<[unknown, string]>([
    [undefined, 'handler: expected an object with onAdd, onUpdate or onDelete, found undefined'],
    [null, 'handler: expected an object with onAdd, onUpdate or onDelete, found null'],
    [() => 1, 'found a function: pass { onAdd: ... }'],
    [{}, 'handler: expected a handler with onAdd, onUpdate or onDelete, found none of them'],
    [{ onadd: () => 1 }, 'found none of them'],
    [{ onAdd: 'x' }, 'handler: onAdd: expected a function, found a string'],
    [{ onAdd: () => 1, onDelete: null }, 'handler: onDelete: expected a function, found null'],
  ])('is refused if it has no functions: %p', async (handler, message) => {
    for (const namespaces of [undefined, ['a', 'b']]) {
      const cache = test.running(namespaces ? { namespaces } : {});
      const informer = await cache.informer(ConfigMap);
      expect(() => informer.addHandler(handler as never)).toThrow(TypeError);
      expect(() => informer.addHandler(handler as never)).toThrow(message);
      await expect(cache.subscribe(ConfigMap, handler as never)).rejects.toThrow(message);
    }
  });

  it('may have methods of its class', async () => {
    class Handler {
      onDelete(): void {}
    }
    const informer = await test.running().informer(ConfigMap);
    expect(informer.addHandler(new Handler()).hasSynced).toBe(false);
  });
});
