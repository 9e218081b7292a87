import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { clientAnswered } from '../client/answered-client.fixture.ts';
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
  it('refuses what does not fit before it is sent, and says which field', async () => {
    const { client, requests } = clientAnswered({ body: {} });
    const metadata = { name: 'a' };
    const problem = /^the object does not match the schema of example.com\/v1 Widget: spec\.size: .*>=1/;
    await expect(client.create(Widget, { metadata, spec: { size: 0, colour: '' } })).rejects.toThrow(problem);
    await expect(client.update(Widget, { metadata, spec: { size: 0, colour: '' } })).rejects.toThrow(problem);
    expect(requests).toEqual([]);
  });

  it('sends what fits as it is: with fields that the schema does not know, and without its defaults', async () => {
    const draft = { metadata: { name: 'a' }, spec: { size: 2, weight: 3 } };
    const { client, requests } = clientAnswered({ body: draft });
    await client.create(Widget, draft as never);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ apiVersion: 'example.com/v1', kind: 'Widget', ...draft });
  });

  it('checks neither a patch nor what a manager applies: they are parts of an object', async () => {
    const { client, requests } = clientAnswered({ body: { metadata: { name: 'a' } } });
    await client.patch(Widget, { name: 'a' }, { spec: { colour: 'blue' } }, 'merge');
    await client.apply(Widget, { metadata: { name: 'a' }, spec: { colour: 'blue' } }, { fieldManager: 'me' });
    expect(requests).toHaveLength(2);
  });
});
