import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { certificatesIn } from '../ca-bundle.ts';

/** A serving certificate, and the CA that signed it. The key of the CA is not kept: it signs once. */
export interface IssuedCertificate {
  /** The certificate of the CA, in PEM. */
  readonly ca: string;
  /** The serving certificate, in PEM. */
  readonly cert: string;
  /** The key of the serving certificate, in PEM. */
  readonly key: string;
}

/** Issues a certificate. */
export type Issue = (options: {
  /** DNS names and IP addresses of the certificate. */
  readonly hosts: readonly string[];
  /** Start and end of the certificates, in ms since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}) => Promise<IssuedCertificate>;

/** Returns the start of a certificate, in ms since 1970. */
export function startOf({ cert }: IssuedCertificate): number {
  return Date.parse(new X509Certificate(cert).validFrom);
}

/** Returns the end of a certificate, in ms since 1970. */
export function endOf({ cert }: IssuedCertificate): number {
  return Date.parse(new X509Certificate(cert).validTo);
}

/** @param now in ms since 1970. */
export function isNotYetValid(issued: IssuedCertificate, now: number): boolean {
  return now < startOf(issued);
}

/** Returns the hosts that a certificate is valid for. */
export function hostsOf({ cert }: IssuedCertificate): readonly string[] {
  const names = new X509Certificate(cert).subjectAltName?.split(', ') ?? [];
  return names.map((name) => name.replace(/^(?:DNS|IP Address):/u, ''));
}

/** Returns the hosts that a certificate is not valid for. */
export function missingHosts({ cert }: IssuedCertificate, hosts: readonly string[]): readonly string[] {
  const certificate = new X509Certificate(cert);
  return hosts.filter((host) => {
    // Each check throws for the other sort of host.
    const found = isIP(host) === 0 ? certificate.checkHost(host, { subject: 'never' }) : certificate.checkIP(host);
    return found === undefined;
  });
}

/** Returns the field of an issued certificate that does not belong to the others, and why; `undefined` if all fit together. */
export function damageOf(
  issued: IssuedCertificate,
): { readonly field: keyof IssuedCertificate; readonly why: string } | undefined {
  const { ca, cert, key } = issued;
  const issuer = parsed(() => certificatesIn(ca))?.[0];
  if (!issuer?.ca) return { field: 'ca', why: 'expected the certificate of a CA in PEM' };
  const certificate = parsed(() => certificatesIn(cert))?.[0];
  if (!certificate) return { field: 'cert', why: 'expected a certificate in PEM' };
  if (!certificate.verify(issuer.publicKey)) return { field: 'cert', why: 'it is not signed by its CA' };
  const privateKey = parsed(() => createPrivateKey(key));
  if (!privateKey) return { field: 'key', why: 'expected a private key in PEM' };
  if (!certificate.checkPrivateKey(privateKey)) return { field: 'key', why: 'it is not the key of the certificate' };
  if (!parsed(() => createSecureContext({ cert, key }))) {
    return { field: 'key', why: 'expected a key that TLS accepts: it is too short, or encrypted' };
  }
  return undefined;
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
