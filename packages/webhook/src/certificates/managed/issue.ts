import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
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
import type { Issue } from './issued-certificate.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a CA, and a serving certificate that it signs. The key of the CA is dropped. */
export const issue: Issue = async ({ hosts, notBefore, notAfter }) => {
  const validity = { notBefore: new Date(notBefore), notAfter: new Date(notAfter), signingAlgorithm: ALGORITHM };
  const caKeys = await createKeys();
  // Each CA has its own name, because clients look for the issuer of a certificate by name.
  const name = `CN=mcr-webhooks-ca-${serialNumber()}`;
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name,
    serialNumber: serialNumber(),
    keys: caKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const keys = await createKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=mcr-webhooks',
    issuer: ca.subject,
    serialNumber: serialNumber(),
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
      ),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    ca: ca.toString('pem'),
    cert: certificate.toString('pem'),
    key: PemConverter.encode(pkcs8, PemConverter.PrivateKeyTag),
  };
};

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** RFC 5280: positive, at most 20 bytes. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
