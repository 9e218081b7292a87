import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubernetesObject } from '../kinds/object.ts';
import { EventDecoder } from './event-decoder.ts';
import { readEvents } from './read-events.ts';
import { isWatchDecodeError } from '../packed/watch-decode-error.ts';
import type { WatchEvent } from '../packed/watch-event.ts';

fc.configureGlobal({ seed: 1 });

const MAX_LINE = 8 * 1024 * 1024;

function event(name: string, data?: Record<string, string>): WatchEvent<KubernetesObject> {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(data && { data }) } };
}

const bytesOf = (events: readonly unknown[]) => Buffer.from(events.map((each) => `${JSON.stringify(each)}\n`).join(''));

function decode(chunks: readonly Uint8Array[]): WatchEvent<KubernetesObject>[] {
  const decoder = new EventDecoder<KubernetesObject>(MAX_LINE);
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (isWatchDecodeError(error)) return error;
  }
  throw new Error('expected a WatchDecodeError');
}

describe('EventDecoder', () => {
  const events = [event('a', { text: 'ä€😀 \\n' }), event('b'), event('c')];

  it('F-11: decodes events that are split at any byte, including within characters', () => {
    const bytes = bytesOf(events);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
    }
    expect(decode(cut(bytes, 1))).toEqual(events);
  });

  it('F-11: returns the events of one chunk together', () => {
    const decoder = new EventDecoder(MAX_LINE);
    const bytes = bytesOf(events);
    expect(decoder.push(bytes.subarray(0, -10))).toHaveLength(2);
    expect(decoder.push(bytes.subarray(-10))).toHaveLength(1);
  });

  it('F-11: decodes a line of 5 MB in small pieces in linear time', () => {
    const large = event('large', { text: 'x'.repeat(5 * 1024 * 1024) });
    expect(decode(cut(bytesOf([large, event('after')]), 512))).toEqual([large, event('after')]);
  });

  it('F-11: ignores blank lines, and accepts a last line without a newline', () => {
    const bytes = Buffer.from(`\n\r\n${JSON.stringify(event('a'))}\r\n\n${JSON.stringify(event('b'))}`);
    expect(decode([bytes])).toEqual([event('a'), event('b')]);
    expect(decode([])).toEqual([]);
    expect(decode([Buffer.from('\n')])).toEqual([]);
  });

  it('F-11: decodes ERROR events and bookmarks', () => {
    const others = [
      { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: '7' } } },
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ];
    expect(decode([bytesOf(others)])).toEqual(others);
  });

  it('F-11: reports the position and length of a line that is not JSON, and never its content', () => {
    const first = bytesOf([event('a')]);
    const error = errorOf(() =>
      decode([Buffer.concat([first, Buffer.from('{"type":"ADDED","object":{"data":"c2VjcmV0"\n')])]),
    );
    expect(error.message).toBe(`a watch line of 43 characters near byte ${first.length} is not JSON`);
    expect(error.cause).toBeUndefined();
  });

  it('F-11: refuses a stream that ends within an event', () => {
    const decoder = new EventDecoder(MAX_LINE);
    decoder.push(bytesOf(events).subarray(0, -10));
    expect(errorOf(() => decoder.end()).message).toMatch(/is not JSON$/);
  });

  it.each([
    'null',
    '7',
    '[]',
    '{"type":"ADDED"}',
    '{"object":{}}',
    '{"type":"ADDED","object":null}',
    '{"type":"x","object":{"metadata":{}}}',
    '{"type":"ADDED","object":{}}',
    '{"type":"BOOKMARK","object":{"metadata":null}}',
    '{"type":"ERROR","object":null}',
    '{"type":["ADDED"],"object":{"metadata":{"name":"a"}}}',
    '{"type":"ADDED","object":{"metadata":{}}}',
    '{"type":"ADDED","object":{"metadata":{"name":{}}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":{}}}}',
    '{"type":"ADDED","object":{"kind":[],"metadata":{"name":"a"}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","annotations":7}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","labels":[]}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","finalizers":[7]}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","ownerReferences":[{"apiVersion":7}]}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":"x"}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[null]}}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[{"manager":7}]}}}',
    '{"type":"BOOKMARK","object":{"metadata":{}}}',
    '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":7}}}',
  ])('F-11, S-14: refuses JSON that is not a watch event: %s', (line) => {
    expect(errorOf(() => decode([Buffer.from(`${line}\n`)])).message).toMatch(/is not a watch event/);
  });

  it('S-10: refuses a line of more than 8 MiB before it is complete', () => {
    const decoder = new EventDecoder(MAX_LINE);
    const chunk = Buffer.alloc(1024 * 1024, 'canary');
    decoder.push(bytesOf(events));
    for (let i = 0; i < 8; i += 1) decoder.push(chunk);
    const error = errorOf(() => decoder.push(chunk));
    expect(error.message).toBe(
      `a watch line of more than 8388608 bytes begins at byte ${bytesOf(events).length}: raise limits.object if objects are that large`,
    );
  });

  it('S-6: the result does not depend on how bytes are split into chunks', () => {
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(names, fc.array(fc.nat()), (texts, cuts) => {
        const expected = texts.map((text) => event('x', { text }));
        const bytes = bytesOf(expected);
        const places = [0, ...cuts.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
        expect(decode(places.slice(1).map((end, i) => bytes.subarray(places[i], end)))).toEqual(expected);
      }),
    );
  });

  it('S-6: any bytes result in events or a WatchDecodeError, for any chunks', () => {
    const outcome = (chunks: readonly Uint8Array[]) => {
      try {
        return decode(chunks);
      } catch (error) {
        if (isWatchDecodeError(error)) return 'refused';
        throw error;
      }
    };
    const line = fc.oneof(
      fc.uint8Array(),
      fc.json().map((json) => Buffer.from(json)),
      fc
        .record({ type: fc.constantFrom('ADDED', 'BOOKMARK', 'ERROR', 'x'), object: fc.jsonValue() })
        .map((each) => bytesOf([each])),
      fc.constantFrom(...events).map((each) => bytesOf([each])),
      fc.constant(Buffer.from('{"type":"ADDED","__proto__":{"metadata":{}},"object":{"__proto__":{"metadata":{}}}}')),
    );
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 64 }), (lines, size) => {
        const bytes = Buffer.concat(lines.flatMap((each) => [each, Buffer.from('\n')]));
        expect(outcome(cut(bytes, size))).toEqual(outcome([bytes]));
      }),
    );
    expect({}).not.toHaveProperty('metadata');
  });
});

describe('readEvents', () => {
  it('yields a batch for each chunk that completes an event', async () => {
    async function* body() {
      yield* cut(bytesOf([event('a'), event('b'), event('c')]), 200);
      await Promise.resolve();
    }
    const batches: string[][] = [];
    for await (const batch of readEvents(body(), { maxLine: MAX_LINE }))
      batches.push(batch.map(({ object }) => String(object.metadata?.['name' as never])));
    expect(batches.flat()).toEqual(['a', 'b', 'c']);
    expect(batches.every((batch) => batch.length > 0)).toBe(true);
  });
});
