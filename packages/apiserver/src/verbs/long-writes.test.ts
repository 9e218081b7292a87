import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Transport } from '@mcr/client';
import { createInProcessServer } from '../in-process/in-process-server.ts';

/** Number of fields of an object. Without pauses, their writes take up to 0.4 s of processor time. */
const FIELDS = 5_000;

/** Maximum processor time between two looks at the event loop, in milliseconds. The goal of 50 is for a machine at rest. */
const LONGEST_STALL = 100;

const PATH = '/api/v1/namespaces/default/configmaps';

interface Stored {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: { readonly 'f:data': object } }[];
  };
  readonly data: Readonly<Record<string, string>>;
}

function configMap(prefix: string, value: string, metadata: object = {}): object {
  const names = Array.from({ length: FIELDS }, (_, index) => `${prefix}-${index}`);
  const data = Object.fromEntries(names.map((name) => [name, value]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data };
}

/** Returns the processor time of this thread in milliseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the longest processor time between two turns of the event loop while work is done, in milliseconds. */
async function longestStall(work: Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  const end = (): void => void (state.isDone = true);
  work.then(end, end);
  let longest = 0;
  while (!state.isDone) {
    const start = processorTime();
    await setImmediate();
    longest = Math.max(longest, processorTime() - start);
  }
  return longest;
}

describe('writes of objects with very many fields', () => {
  let transport: Transport;

  beforeEach(() => {
    ({ transport } = createInProcessServer());
  });

  async function send(method: string, path: string, body?: object, type = 'json'): Promise<[number, Stored]> {
    const response = await transport.send({
      method: method as 'GET',
      path,
      headers: { 'content-type': `application/${type}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return [response.status, JSON.parse(Buffer.concat(chunks).toString()) as Stored];
  }

  const apply = (manager: string, body: object): Promise<[number, Stored]> =>
    send('PATCH', `${PATH}/a?fieldManager=${manager}`, body, 'apply-patch+yaml');

  it('K-30: never keep the processor for long', async () => {
    const created = configMap('b', '1');
    const updated = configMap('b', '2');
    await send('POST', PATH, created);
    const requests: (readonly [method: string, path: string, body: object, type?: string])[] = [
      ['POST', `${PATH}?dryRun=All`, configMap('b', '1', { name: 'other' })],
      ['PUT', `${PATH}/a?fieldValidation=Strict`, updated],
      ['PATCH', `${PATH}/a`, configMap('b', '3'), 'merge-patch+json'],
      ['PATCH', `${PATH}/a`, configMap('b', '4'), 'strategic-merge-patch+json'],
      ['PATCH', `${PATH}/a`, [{ op: 'replace', path: '/data', value: (created as Stored).data }], 'json-patch+json'],
      ['PATCH', `${PATH}/a?fieldManager=one&force=true`, updated, 'apply-patch+yaml'],
      ['PATCH', `${PATH}/a?fieldManager=two`, updated, 'apply-patch+yaml'],
      ['PATCH', `${PATH}/a?fieldManager=one`, { ...updated, data: {} }, 'apply-patch+yaml'],
    ];
    for (const [method, path, body, type = 'json'] of requests) {
      const stalls: number[] = [];
      // A garbage collection adds to one of the two runs only.
      for (let run = 0; run < 2; run++) {
        const sent = send(method, path, body, type);
        stalls.push(await longestStall(sent));
        const [status] = await sent;
        expect([method, path, type, status]).toEqual([method, path, type, 200 + Number(method === 'POST')]);
      }
      const stall = Math.min(...stalls);
      const isShort = stall < LONGEST_STALL;
      expect([method, path, type, isShort ? 'short' : stall]).toEqual([method, path, type, 'short']);
    }
  });

  it('K-30: loses no apply if two managers apply at the same time', async () => {
    await send('POST', PATH, configMap('first', '1'));
    const results = await Promise.all([apply('one', configMap('one', '1')), apply('two', configMap('two', '2'))]);
    expect(results.map(([status]) => status)).toEqual([200, 200]);
    const [, { data, metadata }] = await send('GET', `${PATH}/a`);
    expect(Object.keys(data)).toHaveLength(3 * FIELDS);
    const owned = metadata.managedFields.map(({ manager, fieldsV1 }) => [
      manager,
      Object.keys(fieldsV1['f:data']).filter((name) => name !== '.').length,
    ]);
    expect(owned).toEqual(
      expect.arrayContaining([
        ['one', FIELDS],
        ['two', FIELDS],
      ]),
    );
  });

  it('K-11, K-30: refuses an update of a version that was replaced while it paused', async () => {
    const [, first] = await send('POST', PATH, configMap('b', '1'));
    const { resourceVersion } = first.metadata;
    const update = send('PUT', `${PATH}/a`, configMap('b', '2', { resourceVersion }));
    const patch = send('PATCH', `${PATH}/a`, { data: { late: '1' } }, 'merge-patch+json');
    const [[updated], [patched]] = await Promise.all([update, patch]);
    const [, { data }] = await send('GET', `${PATH}/a`);
    // Whichever is stored first, the other one does not hide it.
    expect([updated, patched]).toEqual(updated === 409 ? [409, 200] : [200, 200]);
    expect(data['late']).toBe('1');
    expect(data['b-0']).toBe(updated === 409 ? '1' : '2');
  });
});
