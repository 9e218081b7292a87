import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

/** A certificate and its key, both as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority {
  /** Certificate of the authority, as PEM. */
  readonly cert: string;
  /** @param names the DNS names and addresses of the certificate. Default: `localhost` and `127.0.0.1`. */
  issue(
    commonName: string,
    names?: { readonly dns?: readonly string[]; readonly ip?: readonly string[] },
  ): Promise<Identity>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

/** Creates a certificate authority for the tests of one file. */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const keys = await newKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-ca',
    ...validity(),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    cert: authority.toString('pem'),
    issue: (commonName, { dns = ['localhost'], ip = ['127.0.0.1'] } = {}) =>
      issue(authority, keys, commonName, [...dns, ...ip]),
  };
}

async function issue(
  authority: X509Certificate,
  authorityKeys: webcrypto.CryptoKeyPair,
  commonName: string,
  names: readonly string[],
): Promise<Identity> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${commonName}`,
    issuer: authority.subject,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    signingKey: authorityKeys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.:]+$/.test(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  });
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: certificate.toString('pem'), key };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
}
