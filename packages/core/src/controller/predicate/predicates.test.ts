import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/client';
import type { ObjectEvent } from '../event/event.ts';
import { defaultPriority } from '../event/event.ts';
import { objectEvent } from '../event/object-event.ts';
import type { Predicate } from './predicate.ts';
import {
  and,
  annotationChanged,
  funcs,
  generationChanged,
  labelChanged,
  labelSelector,
  not,
  or,
  resourceVersionChanged,
} from './predicates.ts';

type Metadata = KubernetesObject['metadata'];

function object(metadata: Partial<Metadata> = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '', ...metadata },
  };
}

function updated(before: Partial<Metadata>, after: Partial<Metadata>): ObjectEvent {
  return objectEvent({ type: 'update', clusterName: 'a', oldObject: object(before), object: object(after) });
}

const created = objectEvent({ type: 'create', clusterName: 'a', initial: true, object: object() });
const deleted = objectEvent({ type: 'delete', clusterName: 'a', finalStateUnknown: false, object: object() });
const generic = objectEvent({ type: 'generic', clusterName: 'a', object: object() });

describe('predicates', () => {
  it.each<[string, Predicate, Partial<Metadata>, Partial<Metadata>]>([
    ['resourceVersionChanged', resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '2' }],
    ['generationChanged', generationChanged, { generation: 1 }, { generation: 2 }],
    ['annotationChanged', annotationChanged, { annotations: { a: '1' } }, { annotations: { a: '2' } }],
    ['labelChanged', labelChanged, {}, { labels: { a: '1' } }],
  ])(
    'CT-6: %s passes an update that changed it, and every event that is not an update',
    (_, predicate, before, after) => {
      expect(predicate(updated(before, after))).toBe(true);
      expect(predicate(updated(after, after))).toBe(false);
      expect([created, deleted, generic].map(predicate)).toEqual([true, true, true]);
    },
  );

  it('labels and annotations are compared independently of their order', () => {
    const event = updated({ labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } });
    expect(labelChanged(event)).toBe(false);
    expect(annotationChanged(updated({ annotations: {} }, {}))).toBe(false);
  });

  it('labelSelector passes objects whose labels match', () => {
    const predicate = labelSelector('env in (prod, stage), !legacy');
    expect(predicate(updated({}, { labels: { env: 'prod' } }))).toBe(true);
    expect(predicate(updated({ labels: { env: 'prod' } }, { labels: { env: 'prod', legacy: '' } }))).toBe(false);
    expect(predicate(deleted)).toBe(false);
    expect(() => labelSelector('env in (')).toThrow();
  });

  it('CT-6: funcs filters each type of event, and passes types without a function', () => {
    const no = () => false;
    const all = [created, updated({}, {}), deleted, generic];
    expect(all.map(funcs({ create: no, update: no, delete: no, generic: no }))).toEqual([false, false, false, false]);
    expect(all.map(funcs({ create: no, delete: no }))).toEqual([false, true, false, true]);
    expect(all.map(funcs({}))).toEqual([true, true, true, true]);
  });

  it('and, or, not combine', () => {
    const yes = () => true;
    const no = () => false;
    expect([and(yes, yes), and(yes, no), and()].map((p) => p(created))).toEqual([true, false, true]);
    expect([or(no, yes), or(no, no), or()].map((p) => p(created))).toEqual([true, false, false]);
    expect([not(yes), not(no)].map((p) => p(created))).toEqual([false, true]);
  });
});

describe('priority of an event', () => {
  it('WQ-5: is −100 for the first list and for resyncs, 0 for changes', () => {
    expect(defaultPriority(created)).toBe(-100);
    const later = objectEvent({ type: 'create', clusterName: 'a', initial: false, object: object() });
    expect(defaultPriority(later)).toBe(0);
    expect(defaultPriority(updated({ resourceVersion: '1' }, { resourceVersion: '1' }))).toBe(-100);
    expect(defaultPriority(updated({ resourceVersion: '1' }, { resourceVersion: '2' }))).toBe(0);
    expect([deleted, generic].map(defaultPriority)).toEqual([0, 0]);
  });
});
