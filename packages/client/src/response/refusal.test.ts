import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { NoKindMatchError } from '../kinds/no-kind-match-error.ts';
import { ApiError } from './api-error.ts';
import { isRefusal } from './refusal.ts';

const answered = (code: number) => new ApiError({ code });

describe('isRefusal', () => {
  it('FL-1: accepts answers that stay until permissions, credentials or kinds change', () => {
    const errors = [...[400, 401, 403, 404, 405, 422].map(answered), new NoKindMatchError(ConfigMap)];
    expect(errors.filter((error) => !isRefusal(error))).toEqual([]);
  });

  it('FL-1: rejects answers and failures that the next attempt may not have', () => {
    const errors = [...[408, 409, 410, 429, 500, 503].map(answered), new Error('connection reset'), undefined];
    expect(errors.filter(isRefusal)).toEqual([]);
  });
});
