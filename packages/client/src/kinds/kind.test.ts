import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { clientRespondingWith } from '../client/respond-with.fixture.ts';
import { defineKind } from './kind.ts';

const schema = z.object({ spec: z.object({ size: z.number().min(1), colour: z.string().default('red') }) });
const Widget = defineKind({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Cluster',
  schema,
});

describe('a kind with a schema', () => {
  it('refuses an object that does not match before sending it, and names the field', async () => {
    const { client, requests } = clientRespondingWith({ body: {} });
    const metadata = { name: 'a' };
    const problem = /^the object does not match the schema of example.com\/v1 Widget: spec\.size: .*>=1/;
    await expect(client.create(Widget, { metadata, spec: { size: 0, colour: '' } })).rejects.toThrow(problem);
    await expect(client.update(Widget, { metadata, spec: { size: 0, colour: '' } })).rejects.toThrow(problem);
    expect(requests).toEqual([]);
  });

  it('sends a matching object unchanged: with unknown fields and without defaults of the schema', async () => {
    const draft = { metadata: { name: 'a' }, spec: { size: 2, weight: 3 } };
    const { client, requests } = clientRespondingWith({ body: draft });
    await client.create(Widget, draft as never);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ apiVersion: 'example.com/v1', kind: 'Widget', ...draft });
  });

  it('does not check patches and applies, because they are parts of an object', async () => {
    const { client, requests } = clientRespondingWith({ body: { metadata: { name: 'a' } } });
    await client.patch(Widget, { name: 'a' }, { spec: { colour: 'blue' } }, 'merge');
    await client.apply(Widget, { metadata: { name: 'a' }, spec: { colour: 'blue' } }, { fieldManager: 'me' });
    expect(requests).toHaveLength(2);
  });
});
