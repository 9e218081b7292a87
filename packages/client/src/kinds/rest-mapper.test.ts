import { describe, expect, it } from '@jest/globals';
import { isApiError } from '../client/api-error.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Transport } from '../transport/transport.ts';
import { ConfigMap } from './builtin.ts';
import { defineKind } from './kind.ts';
import { isNoKindMatch } from './no-kind-match-error.ts';
import { createRestMapper } from './rest-mapper.ts';

const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });
const widgets = { name: 'widgets', kind: 'Widget', namespaced: true };

/** A server with discovery documents by path; `asked` are the paths asked for. */
function startMapper(documents: Record<string, { readonly status?: number; readonly body: unknown }>) {
  const asked: string[] = [];
  const transport: Transport = {
    send: ({ path }) => {
      asked.push(path);
      const { status = 200, body } = documents[path] ?? { status: 404, body: { kind: 'Status', code: 404 } };
      const bytes = Buffer.from(JSON.stringify(body));
      return Promise.resolve({
        status,
        headers: {},
        cancel: () => undefined,
        bytes: () => Promise.resolve(bytes),
        body: (async function* () {
          yield await Promise.resolve(bytes);
        })(),
      });
    },
    rotate: () => Promise.resolve(),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const clock = new VirtualClock();
  return { mapper: createRestMapper(transport, { clock }), asked, clock };
}

describe('RestMapper', () => {
  it('believes what a kind says of itself, and asks nothing', async () => {
    const { mapper, asked } = startMapper({});
    expect(await mapper.resolve(ConfigMap)).toEqual({
      group: '',
      version: 'v1',
      plural: 'configmaps',
      scope: 'Namespaced',
      path: '/api/v1',
    });
    expect(asked).toEqual([]);
  });

  it('K-17: finds the plural and scope of a kind by discovery, not those of its subresources', async () => {
    const { mapper } = startMapper({
      '/apis/example.com/v1': {
        body: {
          resources: [
            { name: 'widgets/status', kind: 'Widget', namespaced: true },
            { ...widgets, namespaced: false },
          ],
        },
      },
    });
    expect(await mapper.resolve(Widget)).toEqual({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      scope: 'Cluster',
      path: '/apis/example.com/v1',
    });
  });

  it.each([null, {}, { resources: null }, { resources: [{ ...widgets, name: 7 }] }])(
    'refuses %j as a discovery document',
    async (body) => {
      const { mapper } = startMapper({ '/apis/example.com/v1': { body } });
      const error: unknown = await mapper.resolve(Widget).catch((reason: unknown) => reason);
      expect(isApiError(error)).toBe(true);
      expect(error).toMatchObject({ message: "the server's answer to /apis/example.com/v1 is no list of resources" });
    },
  );

  it('asks once, however many wait', async () => {
    const { mapper, asked } = startMapper({ '/apis/example.com/v1': { body: { resources: [widgets] } } });
    await Promise.all([mapper.resolve(Widget), mapper.resolve(Widget)]);
    await mapper.resolve(Widget);
    expect(asked).toHaveLength(1);
  });

  it('names a kind that is not there, and sees it within 10 s after it has come', async () => {
    const documents: Record<string, { body: unknown }> = {};
    const { mapper, asked, clock } = startMapper(documents);
    const error: unknown = await mapper.resolve(Widget).catch((reason: unknown) => reason);
    expect(isNoKindMatch(error)).toBe(true);
    expect(String(error)).toContain('the cluster serves no kind Widget of example.com/v1');

    documents['/apis/example.com/v1'] = { body: { resources: [widgets] } };
    await clock.advance(9_999);
    await expect(mapper.resolve(Widget)).rejects.toThrow('no kind Widget');
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    const both = await Promise.all([mapper.resolve(Widget), mapper.resolve(Widget)]);
    expect(both[1].plural).toBe('widgets');
    expect(asked).toHaveLength(2);
  });

  it('asks again after a failure', async () => {
    const documents = { '/apis/example.com/v1': { status: 503, body: {} as unknown } };
    const { mapper } = startMapper(documents);
    await expect(mapper.resolve(Widget)).rejects.toMatchObject({ status: 503 });
    documents['/apis/example.com/v1'] = { status: 200, body: { resources: [widgets] } };
    expect((await mapper.resolve(Widget)).plural).toBe('widgets');
  });
});
