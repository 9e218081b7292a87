import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SigningKey } from './signing-key.ts';
import { Tokens } from './tokens.ts';
import { userOf } from './user.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = new SigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());

describe('tokens', () => {
  it('K-21: a token is valid until it expires', () => {
    const tokens = new Tokens();
    const user = userOf('jane', []);
    const { token } = tokens.issueExpiring(user, { key, expires: 5_000, audiences: [] });
    expect(tokens.userOf(token, 4_999)).toEqual(user);
    expect(tokens.userOf(token, 5_000)).toBeUndefined();
  });

  it('K-21: a revoked token is invalid, and so is an unknown one', () => {
    const tokens = new Tokens();
    const { token } = tokens.issue(userOf('jane', []));
    expect(tokens.userOf(token)?.name).toBe('jane');
    tokens.revoke(token);
    expect(tokens.userOf(token)).toBeUndefined();
    expect(tokens.userOf('__proto__')).toBeUndefined();
  });
});
