import { describe, expect, it } from '@jest/globals';
import type { Difference, ClusterLifecycle, ClusterLifecycleEvent } from './cluster-lifecycle.ts';
import { transition } from './cluster-lifecycle.ts';

/** An instance of a test: its endpoint and credentials. */
interface Instance {
  readonly endpoint: string;
  readonly token: string;
}

const compare = (a: Instance, b: Instance): Difference => {
  if (a.endpoint !== b.endpoint) return 'endpoint';
  return a.token === b.token ? 'none' : 'credentials';
};
const wanted = (instance: Instance): ClusterLifecycleEvent<Instance> => ({ type: 'wanted', instance, compare });

const a = { endpoint: 'a', token: '1' };
const b = { endpoint: 'b', token: '1' };
const c = { endpoint: 'c', token: '1' };

describe('the lifecycle of a cluster name', () => {
  it('connects to the wanted instance, and engages it when it is ready', () => {
    const connecting = transition({ phase: 'absent' }, wanted(a));
    expect(connecting).toEqual({
      state: { phase: 'connecting', next: a },
      effects: [{ type: 'connect', instance: a }],
    });
    expect(transition(connecting.state, { type: 'ready', instance: a })).toEqual({
      state: { phase: 'engaged', current: a },
      effects: [{ type: 'engage', instance: a }],
    });
  });

  it('CL-3: does nothing if an equal instance is wanted', () => {
    for (const state of [
      { phase: 'connecting', next: a },
      { phase: 'engaged', current: a },
      { phase: 'replacing', current: b, next: a },
    ] satisfies ClusterLifecycle<Instance>[]) {
      expect(transition(state, wanted({ ...a }))).toEqual({ state, effects: [] });
    }
  });

  it('CL-3: rotates the engaged instance if only credentials differ', () => {
    const state = { phase: 'engaged', current: a } as const;
    const to = { ...a, token: '2' };
    expect(transition(state, wanted(to))).toEqual({ state, effects: [{ type: 'rotate', instance: a, to }] });
  });

  it('tries new credentials at once while it is still connecting', () => {
    const to = { ...a, token: '2' };
    expect(transition({ phase: 'connecting', next: a }, wanted(to))).toEqual({
      state: { phase: 'connecting', next: to },
      effects: [
        { type: 'stop', instance: a },
        { type: 'connect', instance: to },
      ],
    });
  });

  it('CL-3: keeps the engaged instance until the one with another endpoint is ready', () => {
    const replacing = transition({ phase: 'engaged', current: a }, wanted(b));
    expect(replacing).toEqual({
      state: { phase: 'replacing', current: a, next: b },
      effects: [{ type: 'connect', instance: b }],
    });
    expect(transition(replacing.state, { type: 'ready', instance: b })).toEqual({
      state: { phase: 'engaged', current: b },
      effects: [
        { type: 'engage', instance: b },
        { type: 'stop', instance: a },
      ],
    });
  });

  it('abandons a replacement if the engaged instance is wanted again', () => {
    const state: ClusterLifecycle<Instance> = { phase: 'replacing', current: a, next: b };
    expect(transition(state, wanted({ ...a, token: '2' }))).toEqual({
      state: { phase: 'engaged', current: a },
      effects: [
        { type: 'stop', instance: b },
        { type: 'rotate', instance: a, to: { ...a, token: '2' } },
      ],
    });
  });

  it('supersedes a replacement by a newer one', () => {
    expect(transition({ phase: 'replacing', current: a, next: b }, wanted(c))).toEqual({
      state: { phase: 'replacing', current: a, next: c },
      effects: [
        { type: 'stop', instance: b },
        { type: 'connect', instance: c },
      ],
    });
  });

  it('CL-6: stops every instance on removal, and ignores events of stopped instances', () => {
    const removed = transition({ phase: 'replacing', current: a, next: b }, { type: 'removed' });
    expect(removed).toEqual({
      state: { phase: 'absent' },
      effects: [
        { type: 'stop', instance: a },
        { type: 'stop', instance: b },
      ],
    });
    expect(transition(removed.state, { type: 'ready', instance: b })).toEqual({ ...removed, effects: [] });
  });

  it('CL-5: is absent after its only instance has ended', () => {
    const stop = [{ type: 'stop', instance: a }];
    for (const state of [
      { phase: 'connecting', next: a },
      { phase: 'engaged', current: a },
    ] satisfies ClusterLifecycle<Instance>[]) {
      expect(transition(state, { type: 'ended', instance: a })).toEqual({ state: { phase: 'absent' }, effects: stop });
    }
  });

  it('keeps the other instance after one of two has ended', () => {
    const state: ClusterLifecycle<Instance> = { phase: 'replacing', current: a, next: b };
    expect(transition(state, { type: 'ended', instance: a }).state).toEqual({ phase: 'connecting', next: b });
    expect(transition(state, { type: 'ended', instance: b }).state).toEqual({ phase: 'engaged', current: a });
  });

  it('ignores events of an abandoned instance', () => {
    const state: ClusterLifecycle<Instance> = { phase: 'engaged', current: b };
    expect(transition(state, { type: 'ended', instance: a })).toEqual({ state, effects: [] });
    expect(transition(state, { type: 'ready', instance: a })).toEqual({ state, effects: [] });
  });
});
