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
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { ClientCertificate } from '../protocol.ts';
import type { Identity } from './identity.ts';

/** ECDSA on P-256: keys and signatures take well under a millisecond. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const DAY = 24 * 60 * 60_000;
const LIFETIME = 365 * DAY;

/** Options of {@link createIdentity}. */
export interface IdentityOptions {
  /** Names and IP addresses that the certificate is also for. Default: only those of this machine. */
  readonly hosts?: readonly string[];
}

/** Creates an authority, and a certificate for a server on this machine. */
export async function createIdentity({ hosts = [] }: IdentityOptions = {}): Promise<Identity> {
  // Starts a day early, for clients whose clock is slow.
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
        ...hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
      ]),
    ],
  });
  return {
    caCertificate: ca.toString('pem'),
    caKey: await keyToPem(caKeys.privateKey),
    certificate: certificate.toString('pem'),
    key: await keyToPem(keys.privateKey),
  };
}

/**
 * Subject of a client certificate (PKI of Kubernetes: the common name is the user, the organizations are its groups).
 */
export interface ClientName {
  readonly user: string;
  readonly groups: readonly string[];
  /** The only cluster that accepts the certificate. */
  readonly cluster: string;
}

/** Issues a client certificate that is signed by the authority of a server. */
export async function issueClientCertificate(
  { caCertificate, caKey }: Identity,
  { user, groups, cluster }: ClientName,
): Promise<ClientCertificate> {
  const pkcs8 = PemConverter.decodeFirst(caKey);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']);
  const keys = await createKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [user] }, ...groups.map((group) => ({ O: [group] })), { OU: [cluster] }],
    issuer: new X509Certificate(caCertificate).subject,
    serialNumber: randomBytes(8).toString('hex'),
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + LIFETIME),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await keyToPem(keys.privateKey) };
}

async function keyToPem(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), PemConverter.PrivateKeyTag);
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
