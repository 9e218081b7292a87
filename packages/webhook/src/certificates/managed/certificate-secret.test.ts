import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Secret } from '@mcr/core';
import { newSecret, readSecret } from './certificate-secret.ts';
import type { IssuedCertificate } from './issued-certificate.ts';
import { issue } from './issue.ts';

const now = Date.UTC(2026, 0, 1);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the Secret of managed certificates', () => {
  let current: IssuedCertificate;
  let next: IssuedCertificate;
  beforeAll(async () => {
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
});
