import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SigningKey } from './signing-key.ts';
import { Tokens } from './tokens.ts';
import { userOf } from './user.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = new SigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());

describe('tokens', () => {
  it('K-21: a token that expires has an id, which its user has, too', () => {
    const tokens = new Tokens();
    const { token } = tokens.issueExpiring(userOf('jane', []), { key, expires: 5_000, audiences: ['a'] });
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
    expect(tokens.find(token)).toMatchObject({
      expires: 5_000,
      audiences: ['a'],
      user: { name: 'jane', extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] } },
    });
  });

  it('K-21: a revoked token is invalid, and so is an unknown one', () => {
    const tokens = new Tokens();
    const { token } = tokens.issue(userOf('jane', []));
    expect(tokens.find(token)?.user.name).toBe('jane');
    tokens.revoke(token);
    expect(tokens.find(token)).toBeUndefined();
    expect(tokens.find('__proto__')).toBeUndefined();
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
