import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { get as httpsGet } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Logger } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { createServingIdentity, createControlPlane } from '@mcr/envtest';
import { HttpServer } from './http/http-server.ts';
import { ServingCertificate } from './http/serving-certificate.ts';
import { eventually } from '../testing/eventually.ts';
import { createManager } from './create-manager.ts';

it('S-5: serves metrics and the fleet status over TLS, only to requesters that may read them in the hub', async () => {
  await using hub = await createControlPlane();
  const identity = await createServingIdentity();
  const directory = await mkdtemp(join(tmpdir(), 'mcr-metrics-'));
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  await writeFile(certFile, identity.certificate);
  await writeFile(keyFile, identity.key);

  const lines: string[] = [];
  let address: string | undefined;
  const note = (message: string, fields: { readonly address?: unknown } = {}): void => {
    lines.push(message);
    if (message === 'server listening') address = String(fields.address);
  };
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  const manager = await createManager({
    config: hub.config,
    logger,
    metrics: { bindAddress: '127.0.0.1:0', certificate: { certFile, keyFile }, access: 'authorized' },
  });
  manager.addMetricsHandler('/page', (_, response) => void response.end('static'), { access: 'everybody' });
  manager.addMetricsHandler('/page/data', (_, response) => void response.end('data'));
  const end = new AbortController();
  const stopped = manager.start(end.signal);
  const status = (path: string, token?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      httpsGet(`${address}${path}`, { ca: identity.caCertificate, headers, agent: false }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      }).once('error', reject);
    });
  try {
    await eventually(() => expect(address).toMatch(/^https:/));
    const { auth } = hub.config;
    const admin = auth?.type === 'token' ? auth.token : undefined;
    expect(await status('/fleet')).toBe(401);
    expect(await status('/fleet', 'made-up')).toBe(401);
    expect(await status('/fleet', admin)).toBe(200);
    expect(await status('/metrics', admin)).toBe(200);
    expect(await status('/page')).toBe(200);
    expect(await status('/page/data')).toBe(401);
    expect(await status('/page/data', admin)).toBe(200);
    expect(lines.join()).not.toContain('without authentication');
  } finally {
    end.abort();
    await stopped;
    await rm(directory, { recursive: true });
  }
});

it('S-5: refuses to request tokens over plain HTTP', async () => {
  await expect(
    createManager({ config: { server: 'https://hub.invalid' }, metrics: { access: 'authorized' } }),
  ).rejects.toThrow('option "metrics.access": "authorized" needs the option "certificate"');
});

it('S-5: leaves no timer behind if the port is in use, and names a file that cannot be used', async () => {
  const identity = await createServingIdentity();
  const directory = await mkdtemp(join(tmpdir(), 'mcr-metrics-'));
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const clock = new VirtualClock();
  const serve = () => {
    const certificate = new ServingCertificate({ files: { certFile, keyFile }, clock, logger: silentLogger });
    const address = { text: 'the address', host: '127.0.0.1', port: (taken.address() as AddressInfo).port };
    const server = new HttpServer({
      name: 'metrics',
      address,
      route: () => undefined,
      logger: silentLogger,
      certificate,
    });
    return server.run(new AbortController().signal);
  };
  try {
    await expect(serve()).rejects.toThrow(/metrics cannot be served over TLS: .*tls\.(crt|key)/);
    await writeFile(keyFile, identity.key);
    await writeFile(certFile, 'no certificate');
    await expect(serve()).rejects.toThrow('expected a certificate and its key, as PEM, in certFile and keyFile');
    await writeFile(certFile, identity.certificate);
    await expect(serve()).rejects.toThrow('metrics cannot be served on the address: the port is in use');
    expect(clock.pendingTimers).toBe(0);
  } finally {
    taken.close();
    await rm(directory, { recursive: true });
  }
});
