import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SigningKey } from './signing-key.ts';

describe('keys of service account tokens', () => {
  it.each([
    { algorithm: 'ES256', pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
    { algorithm: 'RS256', pair: generateKeyPairSync('rsa', { modulusLength: 2048 }) },
  ])('K-21: the published key verifies a token that is signed with $algorithm', ({ algorithm, pair }) => {
    const signer = new SigningKey(
      pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'https://issuer',
    );
    const token = signer.sign({ sub: 'jane' });
    const [header = '', claims = '', signature = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: algorithm });
    const [jwk] = (signer.keySet as { keys: [Record<string, string>] }).keys;
    const published = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    const options = { key: published, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, options, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(signer.verify(token)).toEqual({ claims: { sub: 'jane', iss: 'https://issuer' } });
  });

  it('K-21: refuses a key that cannot sign tokens', () => {
    const { privateKey: other } = generateKeyPairSync('ed25519');
    expect(() => new SigningKey(other.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(
      'must be an ECDSA key on P-256 or an RSA key',
    );
  });
});
