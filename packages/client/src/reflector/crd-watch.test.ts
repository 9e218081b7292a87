import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '../response/api-error.ts';
import type { Client, WatchOptions } from '../client/client.ts';
import type { ConfigMap } from '../kinds/builtin.ts';
import { defineKind, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { CrdWatch } from './crd-watch.ts';
import { added, configMap, deleted, modified, ScriptedStream } from './scripted-lister-watcher.fixture.ts';

const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });

type Stream = ScriptedStream<readonly WatchEvent<ConfigMap>[]>;

describe('CrdWatch', () => {
  let watches: { readonly options: WatchOptions; readonly stream: Stream }[];
  let forgotten: string[];
  let crdWatch: CrdWatch;
  let caller: AbortController;

  beforeEach(() => {
    watches = [];
    forgotten = [];
    caller = new AbortController();
    const watch = async function* (_: unknown, options: WatchOptions) {
      const stream: Stream = new ScriptedStream();
      options.signal.addEventListener('abort', () => stream.fail(options.signal.reason as Error), { once: true });
      watches.push({ options, stream });
      for await (const events of stream.parts()) yield* events;
    };
    crdWatch = new CrdWatch({
      // Only the metadata of definitions matters, so ConfigMaps can replace them here.
      client: { watch } as unknown as Client,
      restMapper: { forget: ({ kind }) => void forgotten.push(kind) },
    });
  });

  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const definition = (version: string): ConfigMap => configMap('widgets.example.com', version);
  function changed(known?: string, kind: Kind<KubernetesObject> = Widget): { version?: string; error?: unknown } {
    const outcome: ReturnType<typeof changed> = {};
    crdWatch.changed(kind, known, caller.signal).then(
      (version) => Object.assign(outcome, { version }),
      (error: unknown) => Object.assign(outcome, { error }),
    );
    return outcome;
  }

  it('F-22: watches one definition, shared by all callers, only while one waits', async () => {
    const [one, other] = [changed(), changed()];
    await settled();
    expect(watches.map(({ options }) => options.fieldSelector)).toEqual(['metadata.name=widgets.example.com']);
    watches[0]?.stream.push([added(definition('5'))]);
    await settled();
    expect([one, other]).toEqual([{ version: '5' }, { version: '5' }]);
    expect(watches[0]?.options.signal.aborted).toBe(true);
    expect(forgotten).toEqual(['Widget', 'Widget']);
  });

  it('F-22: a definition that ended one wait ends another wait only after a change', async () => {
    const outcome = changed('5');
    await settled();
    watches[0]?.stream.push([added(definition('5'))]);
    await settled();
    expect(outcome).toEqual({});
    watches[0]?.stream.push([modified(definition('6'))]);
    await settled();
    expect(outcome).toEqual({ version: '6' });
  });

  it('F-22: a deleted definition does not end a wait', async () => {
    const outcome = changed('5');
    await settled();
    watches[0]?.stream.push([added(definition('5')), deleted(definition('6'))]);
    await settled();
    expect(outcome).toEqual({});
    caller.abort(new Error('enough'));
    await settled();
    expect(outcome).toEqual({ error: new Error('enough') });
    expect(watches[0]?.options.signal.aborted).toBe(true);
    expect(forgotten).toEqual([]);
  });

  it('F-22: leaves callers in their backoff if the watch is refused, and retries for the next caller', async () => {
    const outcome = changed();
    await settled();
    watches[0]?.stream.fail(new ApiError({ code: 403, reason: 'Forbidden' }));
    await settled();
    expect(outcome).toEqual({});
    expect(watches).toHaveLength(1);
    caller.abort(new Error('enough'));
    await settled();
    caller = new AbortController();
    changed();
    await settled();
    expect(watches).toHaveLength(2);
    caller.abort();
  });

  it.each([
    ['v1', 'Pod', undefined],
    ['apps/v1', 'Deployment', undefined],
    ['example.com/v1', 'Policy', 'policies.example.com'],
    ['example.com/v1', 'Bus', 'buses.example.com'],
  ])('F-22: %s %s has the definition %s', async (apiVersion, kind, name) => {
    changed(undefined, defineKind({ apiVersion, kind }));
    await settled();
    expect(watches[0]?.options.fieldSelector).toBe(name && `metadata.name=${name}`);
    caller.abort();
  });
});
