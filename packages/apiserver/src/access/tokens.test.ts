import { describe, expect, it } from '@jest/globals';
import { Tokens } from './tokens.ts';
import { userOf } from './user.ts';

describe('tokens', () => {
  it('K-21: a revoked token is invalid, and so is an unknown one', () => {
    const tokens = new Tokens();
    const { token } = tokens.issue(userOf('jane', []));
    expect(tokens.find(token)?.user.name).toBe('jane');
    tokens.revoke(token);
    expect(tokens.find(token)).toBeUndefined();
    expect(tokens.find('__proto__')).toBeUndefined();
  });
});
