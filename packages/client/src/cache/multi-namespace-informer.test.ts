import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { PackedStore } from '../store/packed-store.ts';
import { View } from '../store/view.ts';
import { MultiNamespaceInformer } from './multi-namespace-informer.ts';
import type { SharedInformer } from './shared-informer.ts';

const NAMESPACES = ['a', 'b', 'c'];

function batchOf(namespace: string, resourceVersion: string) {
  const metadata = { name: 'config', namespace, uid: 'u', resourceVersion };
  return packObjects('MODIFIED', [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
}

describe('a selection from several namespaces', () => {
  let stores: PackedStore<ConfigMap>[];
  let store: MultiNamespaceInformer<ConfigMap>['store'];

  beforeEach(() => {
    stores = NAMESPACES.map((namespace) => {
      const each = new PackedStore({ kind: ConfigMap, freeze: true });
      each.apply(batchOf(namespace, '1'), 0);
      return each;
    });
    const informers = stores.map((each) => ({ store: each }) as unknown as SharedInformer<ConfigMap>);
    ({ store } = new MultiNamespaceInformer(new Map(informers.map((each, at) => [NAMESPACES[at] ?? '', each]))));
  });
  afterEach(() => void jest.restoreAllMocks());

  /** Returns the number of views whose previous states the stores still keep. */
  function openViews(): number {
    const beforeChange = jest.spyOn(View.prototype, 'beforeChange').mockClear();
    for (const [at, each] of stores.entries()) if (each.size > 0) each.apply(batchOf(NAMESPACES[at] ?? '', '2'), 0);
    return beforeChange.mock.calls.length;
  }

  const matchesLabels = () => true;

  it('begins in all namespaces at once', () => {
    const selected = store.select({ matchesLabels });
    expect(openViews()).toBe(3);
    const versions = [...selected].map((object) => (object === 'omitted' ? object : object?.metadata.resourceVersion));
    expect(versions).toEqual(['1', '1', '1']);
  });

  it('ends in all namespaces when it fails in one of them', () => {
    const selected = store.select({
      matchesLabels() {
        throw new TypeError('selector');
      },
    });
    expect(() => [...selected]).toThrow(new TypeError('selector'));
    expect(openViews()).toBe(0);
  });

  it('ends in all namespaces when the caller takes no more objects', () => {
    for (const _ of store.select({ matchesLabels })) break;
    expect(openViews()).toBe(0);
  });

  it('ends in all namespaces when it cannot begin in one of them', () => {
    stores[2]?.dispose();
    expect(() => store.select({ matchesLabels })).toThrow('informer');
    expect(openViews()).toBe(0);
  });
});
