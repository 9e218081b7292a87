import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
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

  it.each([
    { algorithm: 'ES256', pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
    { algorithm: 'RS256', pair: generateKeyPairSync('rsa', { modulusLength: 2048 }) },
  ])('K-21: the published key verifies a token that is signed with $algorithm', ({ algorithm, pair }) => {
    const signer = new SigningKey(
      pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'https://issuer',
    );
    const { token } = new Tokens().issueExpiring(userOf('jane', []), { key: signer, expires: 5_000, audiences: [] });
    const [header = '', claims = '', signature = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: algorithm });
    const [jwk] = (signer.keySet as { keys: [Record<string, string>] }).keys;
    const published = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    const options = { key: published, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, options, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('K-21: refuses a key that cannot sign tokens', () => {
    const { privateKey: other } = generateKeyPairSync('ed25519');
    expect(() => new SigningKey(other.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(
      'must be an ECDSA key on P-256 or an RSA key',
    );
  });
});
