import 'reflect-metadata';
import { randomUUID, webcrypto, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { describe, expect, it, jest } from '@jest/globals';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { createServingIdentity } from '@mcr/envtest';
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import { Cart, cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { review, RunningWebhooks } from './server.fixture.ts';
import type { RunningWebhooksOptions } from './server.fixture.ts';

const VALIDATE = '/validate-shop-example-com-v1-cart';

function start(options: RunningWebhooksOptions & { readonly create?: () => Promise<void> }): Promise<RunningWebhooks> {
  const { create = async () => undefined, ...rest } = options;
  return RunningWebhooks.start({
    ...rest,
    setUp: (webhooks) => webhooks.register(webhookFor(Cart).validate({ create })),
  });
}

describe('the life of a webhook server', () => {
  it('WH-5: serves for the delay after the manager stops, and asks clients for other connections', async () => {
    const clock = new VirtualClock();
    await using running = await start({ clock, drainDelay: 5_000 });
    const agent = new Agent({ keepAlive: true });
    const session = connectHttp2(running.url, { ca: running.caCertificate });
    const goaway = once(session, 'goaway');
    await once(session, 'remoteSettings');
    running.end.abort();
    await eventually(() => expect(running.logged('webhook server is draining')).toHaveLength(1));
    const stream = session.request({ ':method': 'POST', ':path': VALIDATE, 'content-type': 'application/json' });
    stream.end(JSON.stringify(review({ object: cart({}) })));
    expect((await buffer(stream)).toString()).toContain('"allowed":true');
    const { status, headers } = await running.post(VALIDATE, review({ object: cart({}) }), { agent });
    expect([status, headers.connection]).toEqual([200, 'close']);
    await eventually(async () => {
      await clock.advance(1_000);
      await expect(running.post(VALIDATE, review({}), { agent })).rejects.toThrow('ECONNREFUSED');
    });
    await goaway;
    agent.destroy();
    session.destroy();
  });

  it('WH-5: answers the requests in progress before it stops', async () => {
    const entered = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const create = async (): Promise<void> => {
      entered.resolve();
      await finish.promise;
    };
    await using running = await start({ create });
    const answer = running.post(VALIDATE, review({ object: cart({}) }));
    await entered.promise;
    running.end.abort();
    await eventually(async () => {
      await expect(running.post('/', review({}))).rejects.toThrow('ECONNREFUSED');
    });
    finish.resolve();
    expect((await answer).body.response).toMatchObject({ allowed: true });
    await running.stopped;
  });

  it('WH-5: stops waiting for requests after the timeout, and aborts their handlers', async () => {
    const entered = Promise.withResolvers<void>();
    const create = async (): Promise<void> => {
      entered.resolve();
      await new Promise(() => undefined);
    };
    await using running = await start({ create, drainTimeout: 10 });
    const answer = running.post(VALIDATE, review({ object: cart({}) })).catch(String);
    await entered.promise;
    running.end.abort();
    expect(await answer).toContain('hang up');
    await running.stopped;
  });

  it('WH-5: is ready only while it serves', async () => {
    const running = await start({});
    const webhooks = running.webhooks as unknown as { checkReady(): void };
    expect(() => webhooks.checkReady()).not.toThrow();
    await running[Symbol.asyncDispose]();
    expect(() => webhooks.checkReady()).toThrow('the webhook server is stopped');
  });

  it('WH-3: serves a renewed certificate to further connections, and keeps those that are open', async () => {
    const clock = new VirtualClock();
    await using running = await start({ clock });
    const { port } = new URL(running.url);
    const served = async (): Promise<string> => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const before = await served();
    const session = connectHttp2(running.url, { ca: running.caCertificate });
    await once(session, 'remoteSettings');
    const call = async (): Promise<string> => {
      const stream = session.request({ ':method': 'POST', ':path': VALIDATE, 'content-type': 'application/json' });
      stream.end(JSON.stringify(review({ object: cart({}) })));
      return (await buffer(stream)).toString();
    };
    await running.renew();
    await eventually(async () => {
      // The connection is in use, so that it is not closed however long the files are read.
      expect(await call()).toContain('"allowed":true');
      await clock.advance(10_000);
      expect(await served()).not.toBe(before);
    });
    expect(await call()).toContain('"allowed":true');
    session.close();
    expect(await running.webhooks.caBundle()).toBe(running.caCertificate);
  });

  it('WH-3: gives clusters no CA bundle that would make every call fail', async () => {
    await using running = await start({});
    const file = join(running.certDir, 'ca.crt');
    const { webhooks, caCertificate } = running;
    const { caCertificate: other } = await createServingIdentity();
    const damaged = caCertificate.replace(/\n.{20}/u, '\nAAAAAAAAAAAAAAAAAAAA');
    for (const [text, problem] of [
      ['', 'expected certificates in PEM'],
      ['hello', 'expected certificates in PEM'],
      [caCertificate.slice(0, -60), 'expected certificates in PEM'],
      [`${caCertificate}${caCertificate.slice(0, 200)}`, 'a certificate is cut off'],
      [damaged, 'certificate 1 is damaged'],
      [other, 'none of its CAs has issued the certificate'],
    ] as const) {
      await writeFile(file, text);
      await expect(webhooks.caBundle()).rejects.toThrow(`${file}: ${problem}`);
    }
    await writeFile(file, `${other}${caCertificate}`);
    expect(await webhooks.caBundle()).toBe(`${other}${caCertificate}`);
    await rm(file);
    expect([await webhooks.caBundle(), await webhooks.caBundle()]).toEqual([undefined, undefined]);
    expect(
      running.logged('no CA bundle for API servers: they call webhooks only if they trust the certificate already'),
    ).toHaveLength(1);
  });

  it('WH-3: verifies the CA bundle once for each change, for all clusters', async () => {
    await using running = await start({});
    const { webhooks, caCertificate, certDir } = running;
    const verify = jest.spyOn(X509Certificate.prototype, 'verify');
    const clusters = () => Promise.all(Array.from({ length: 20 }, () => webhooks.caBundle()));
    await clusters();
    expect(new Set(await clusters())).toEqual(new Set([caCertificate]));
    expect(verify).toHaveBeenCalledTimes(1);
    await writeFile(join(certDir, 'ca.crt'), `${caCertificate}${caCertificate}`);
    await clusters();
    expect(verify).toHaveBeenCalledTimes(2);
    verify.mockRestore();
  });

  it('WH-3: fails with the name of the file if there is no certificate, or it is invalid', async () => {
    const none = start({ certificate: { certDir: '/nonexistent' } });
    await expect(none).rejects.toThrow('/nonexistent/tls');
    await using running = await start({});
    const certFile = join(running.certDir, 'wrong.crt');
    await writeFile(certFile, 'wrong');
    const wrong = start({ certificate: { certFile, keyFile: join(running.certDir, 'tls.key') } });
    await expect(wrong).rejects.toThrow('webhooks cannot be served over TLS: expected a certificate and its key');
  });

  it('WH-4: authenticates callers by a token, or by a client certificate', async () => {
    await using byToken = await start({
      callerAuth: { authenticate: ({ token, cluster }) => token === 'secret' && cluster === 'a' },
    });
    const call = (path: string, headers = {}) => byToken.post(path, review({ object: cart({}) }), { headers });
    const authorization = 'Bearer secret';
    expect((await call(`/clusters/a${VALIDATE}`, { authorization })).status).toBe(200);
    expect((await call(`/clusters/b${VALIDATE}`, { authorization })).status).toBe(401);
    expect((await call(`/clusters/a${VALIDATE}`)).status).toBe(401);

    await using byCertificate = await start({ callerAuth: { clientCaFile: join(byToken.certDir, 'ca.crt') } });
    expect((await byCertificate.post(VALIDATE, review({ object: cart({}) }))).status).toBe(401);
  });

  it('WH-4: verifies client certificates with the CAs that the file has now, and keeps them while it is damaged', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-webhook-'));
    const clientCaFile = join(directory, 'clients.crt');
    const [first, second] = [await clientCertificate(), await clientCertificate()];
    await writeFile(clientCaFile, first.cert);
    const clock = new VirtualClock(Date.now());
    await using running = await start({ clock, callerAuth: { clientCaFile } });
    const statusOf = async (client: { readonly cert: string; readonly key: string }) => {
      const agent = new Agent({ ...client, maxCachedSessions: 0 });
      const { status } = await running.post(VALIDATE, review({ object: cart({}) }), { agent });
      agent.destroy();
      return status;
    };
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401]);
    await writeFile(clientCaFile, '-----BEGIN CERTIFICATE-----');
    const failure = 'failed to read the CAs of client certificates, using the previous ones';
    await eventually(async () => {
      await clock.advance(10_000);
      expect(running.logged(failure)).toHaveLength(1);
    });
    expect(await statusOf(first)).toBe(200);
    await writeFile(clientCaFile, second.cert);
    await eventually(async () => {
      await clock.advance(10_000);
      expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    });
    await rm(directory, { recursive: true });
  });
});

/** Returns a client certificate that is its own CA. */
async function clientCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const name = `CN=${randomUUID()}`;
  const extensions = [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])];
  const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const certificate = await X509CertificateGenerator.createSelfSigned({ name, keys, extensions, signingAlgorithm });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: certificate.toString('pem'), key };
}
