import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Identity } from './identity.ts';

/** ECDSA on P-256: keys and signatures take well under a millisecond. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const DAY = 24 * 60 * 60_000;
const LIFETIME = 365 * DAY;

/** Makes an authority, and a certificate of it for a server on this machine. The authority's key is not kept. */
export async function createIdentity(): Promise<Identity> {
  // A day of grace, for clients whose clock is behind.
  const notBefore = new Date(Date.now() - DAY);
  const notAfter = new Date(Date.now() + LIFETIME);
  const caKeys = await createKeys();
  const ca = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=mcr-envtest-ca',
    serialNumber: '01',
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const keys = await createKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=kube-apiserver',
    issuer: ca.subject,
    serialNumber: '02',
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
        { type: 'dns', value: 'kubernetes' },
      ]),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    caCertificate: ca.toString('pem'),
    certificate: certificate.toString('pem'),
    key: PemConverter.encode(key, PemConverter.PrivateKeyTag),
  };
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
