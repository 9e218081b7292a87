import { describe, expect, it } from '@jest/globals';
import { ApiError, isApiError } from './api-error.ts';
import { clientRespondingWith } from '../client/respond-with.fixture.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { parseWarnings } from '../client/warning-header.ts';

async function refusalOf(status: object): Promise<ApiError> {
  const { client } = clientRespondingWith({ status: 422, body: { kind: 'Status', ...status } });
  const error: unknown = await client
    .get(ConfigMap, { namespace: 'default', name: 'a' })
    .catch((reason: unknown) => reason);
  if (!isApiError(error)) throw new Error('expected an ApiError');
  return error;
}

describe('the error for a refused request', () => {
  it('S-11: has at most 1 KiB of message, and bounded details', async () => {
    const long = '🐢'.repeat(100_000);
    const cause = { reason: long, message: long, field: long };
    const causes = Array.from({ length: 40 }, () => cause);
    const { message, reason, details } = await refusalOf({
      message: long,
      reason: long,
      details: { name: long, group: long, kind: long, uid: long, causes },
    });
    expect(message).toBe(`${'🐢'.repeat(255)}…`);
    expect(reason).toBe(`${'🐢'.repeat(63)}…`);
    expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThan(60_000);
    expect(details?.causes).toHaveLength(32);
    const [first] = details?.causes ?? [];
    for (const text of Object.values({ ...first })) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024);
  });

  it.each([
    ['message', { message: { toString: 1 } }],
    ['reason', { reason: [] }],
    ['code', { code: 'x' }],
    ['details', { details: 'x' }],
    ['details.causes', { details: { causes: 'x' } }],
    ['a cause', { details: { causes: [null, 7, { reason: {}, message: 7, field: [] }] } }],
    ['details.retryAfterSeconds', { details: { retryAfterSeconds: 'soon' } }],
    ['details.kind', { details: { kind: { toString: 1 } } }],
  ])('S-14: ignores a %s of a wrong type, and keeps the status', async (_, status) => {
    const error = await refusalOf(status);
    expect(error.status).toBe(422);
    expect(error.reason).toBe('');
    expect(error.retryAfter).toBeUndefined();
    expect(error.message).toBe('the server answered with status 422');
    for (const cause of error.details?.causes ?? []) expect(cause).toEqual({});
  });

  it('S-14: is created from any value', () => {
    for (const value of [null, 7, 'text', [], { details: [] }]) {
      expect(new ApiError(value as never).status).toBe(500);
    }
  });
});

describe('warnings', () => {
  it('S-11: are at most 32 of 1 KiB each', () => {
    const one = `299 ${'a'.repeat(1_000)} "${'w'.repeat(2_000)}"`;
    const warnings = parseWarnings(Array.from({ length: 40 }, () => one).join(', '));
    expect(warnings).toHaveLength(32);
    for (const { text, agent } of warnings) {
      expect(Buffer.byteLength(text)).toBe(1024);
      expect(Buffer.byteLength(agent)).toBe(256);
    }
  });
});
