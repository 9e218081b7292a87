import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Secret } from '@mcr/core';
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import { newSecret, readSecret } from './certificate-secret.ts';
import type { IssuedCertificate } from './issued-certificate.ts';
import { issue } from './issue.ts';

const now = Date.UTC(2026, 0, 1);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const CUT = '-----BEGIN CERTIFICATE-----\nMIIB';

/** Returns the fields of a certificate with a key that TLS refuses. It is its own CA. */
async function shortKey(): Promise<Record<string, string>> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const length = { modulusLength: 512, publicExponent: new Uint8Array([1, 0, 1]) };
  const keys = await webcrypto.subtle.generateKey({ ...algorithm, ...length }, true, ['sign', 'verify']);
  const extensions = [new BasicConstraintsExtension(true)];
  const certificate = await X509CertificateGenerator.createSelfSigned({ name: 'CN=a', keys, extensions });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  const text = base64(certificate.toString('pem'));
  return { 'ca.crt': text, 'tls.crt': text, 'tls.key': base64(key) };
}

describe('the Secret of managed certificates', () => {
  let current: IssuedCertificate;
  let next: IssuedCertificate;
  let short: Record<string, string>;
  beforeAll(async () => {
    short = await shortKey();
    const options = { hosts: ['a'], notBefore: now, notAfter: now + 1_000_000 };
    [current, next] = [await issue(options), await issue(options)];
  });

  const secretOf = (state: Parameters<typeof newSecret>[1]) =>
    newSecret({ namespace: 'shop', name: 'webhooks' }, state) as unknown as Secret;

  it('WH-3: keeps every state of a rotation', () => {
    for (const state of [
      { phase: 'steady', current },
      { phase: 'trusting', current, next, serveAfter: now },
      { phase: 'replacing', current: next, previousCa: current.ca, dropAfter: now },
    ] as const) {
      expect(readSecret(secretOf(state))).toEqual(state);
    }
  });

  it.each<[title: string, change: () => Record<string, unknown>, message: string]>([
    ['a missing certificate', () => ({ 'tls.crt': undefined }), 'data["tls.crt"]: it is missing'],
    ['a value that is not a text', () => ({ 'tls.key': 1 }), 'data["tls.key"]: it is missing'],
    ['a value that is too long', () => ({ 'tls.key': 'A'.repeat(70_000) }), 'data["tls.key"]: expected at most 65536'],
    ['a wrong certificate', () => ({ 'tls.crt': 'AAAA' }), 'data["tls.crt"]: expected a certificate in PEM'],
    ['a wrong key', () => ({ 'tls.key': 'AAAA' }), 'data["tls.key"]: expected a private key in PEM'],
    ['the key of another', () => ({ 'tls.key': base64(next.key) }), 'data["tls.key"]: it is not the key'],
    ['another CA', () => ({ 'ca.crt': base64(next.ca) }), 'data["tls.crt"]: it is not signed'],
    ['no CA', () => ({ 'ca.crt': base64(current.cert) }), 'data["ca.crt"]: expected the certificate of a CA'],
    ['a CA that is cut off', () => ({ 'ca.crt': base64(`${current.ca}\n${CUT}`) }), 'data["ca.crt"]: expected the'],
    [
      'a chain that is cut off',
      () => ({ 'tls.crt': base64(`${current.cert}\n${CUT}`) }),
      'data["tls.crt"]: expected a',
    ],
    ['a short key', () => short, 'data["tls.key"]: expected a key that TLS accepts'],
    ['a lost next certificate', () => ({ 'next-tls.crt': undefined }), 'data["next-tls.crt"]: it is missing'],
    ['a wrong time', () => ({ 'serve-after': base64('soon') }), 'data["serve-after"]: expected a time'],
  ])('WH-3: refuses %s, with the name of the field and without values', (_, change, message) => {
    const secret = secretOf({ phase: 'trusting', current, next, serveAfter: now });
    const damaged = { ...secret, data: { ...secret.data, ...change() } } as Secret;
    expect(() => readSecret(damaged)).toThrow(`secret shop/webhooks: ${message}`);
    expect(() => readSecret(damaged)).toThrow('restore it, or delete the Secret to get new certificates at once');
  });

  it('WH-3: refuses a Secret of another type', () => {
    const secret = { ...secretOf({ phase: 'steady', current }), type: 'kubernetes.io/tls' };
    expect(() => readSecret(secret)).toThrow('secret shop/webhooks: type: expected mcr.dev/webhook-certificate, found');
  });

  it('WH-3: refuses a previous CA that is cut off', () => {
    const secret = secretOf({ phase: 'replacing', current, previousCa: CUT, dropAfter: now });
    expect(() => readSecret(secret)).toThrow('data["previous-ca.crt"]: expected certificates in PEM');
  });
});
