import { beforeAll, describe, expect, it } from '@jest/globals';
import { createCertificateAuthority, type Identity } from '../transport/certificates.fixture.ts';
import { secureContextOf } from './secure-context.ts';

describe('secureContextOf', () => {
  let ca: string;
  let identities: readonly [Identity, Identity];

  beforeAll(async () => {
    const authority = await createCertificateAuthority();
    ca = authority.cert;
    identities = [await authority.issue('one'), await authority.issue('other')];
  });

  const tlsOf = ({ cert, key }: Identity) => ({ caData: ca, certData: cert, keyData: key });

  it('P-6: configs with equal PEMs share one context', () => {
    const [one] = identities;
    expect(secureContextOf({ caData: ca })).toBe(secureContextOf({ caData: ca, serverName: 'other-name' }));
    expect(secureContextOf(tlsOf(one))).toBe(secureContextOf(tlsOf(one)));
  });

  it('S-8: configs with another certificate or authority have another context', () => {
    const [one, other] = identities;
    const contexts = [tlsOf(one), tlsOf(other), { caData: ca }, { caData: other.cert }, {}].map(secureContextOf);
    expect(new Set(contexts).size).toBe(contexts.length);
  });

  it('S-8: a key that does not match the certificate is refused, although both are in use', () => {
    const [one, other] = identities;
    expect(secureContextOf(tlsOf(one))).not.toBe(secureContextOf(tlsOf(other)));
    expect(() => secureContextOf({ ...tlsOf(one), keyData: other.key })).toThrow('key values mismatch');
    expect(() => secureContextOf({ ...tlsOf(one), keyData: other.key })).toThrow('key values mismatch');
  });
});
