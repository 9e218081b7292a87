import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Logger } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { createServingIdentity } from '@mcr/envtest';
import { eventually } from '../../testing/eventually.ts';
import { ServingCertificate } from './serving-certificate.ts';

describe('ServingCertificate', () => {
  let directory: string;
  let clock: VirtualClock;
  let certificate: ServingCertificate;
  let server: Server;
  let warnings: number;
  const counting: Logger = { ...silentLogger, warn: () => void (warnings += 1) };

  const write = async ({ certificate: cert, key }: { readonly certificate: string; readonly key: string }) => {
    await writeFile(join(directory, 'tls.crt'), cert);
    await writeFile(join(directory, 'tls.key'), key);
  };
  /** Returns the fingerprint of the certificate that a new connection receives. */
  const served = async () => {
    const socket = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    try {
      await once(socket, 'secureConnect');
      return socket.getPeerCertificate().fingerprint256;
    } finally {
      socket.destroy();
    }
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-certificate-'));
    clock = new VirtualClock();
    warnings = 0;
    await write(await createServingIdentity());
    const files = { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') };
    certificate = new ServingCertificate({ files, clock, logger: counting });
    server = createServer(await certificate.read());
    certificate.follow(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(async () => {
    certificate.stop();
    server.close();
    await rm(directory, { recursive: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it('S-5: serves a renewed certificate', async () => {
    const first = await served();
    await write(await createServingIdentity());
    await eventually(async () => {
      await clock.advance(10_000);
      expect(await served()).not.toBe(first);
    });
  });

  it('S-5: keeps serving the previous certificate while the files are invalid, and then the next valid one', async () => {
    const first = await served();
    await writeFile(join(directory, 'tls.crt'), '-----BEGIN CERT');
    await eventually(async () => {
      await clock.advance(10_000);
      expect(warnings).toBe(1);
    });
    for (let look = 0; look < 3; look++) {
      await clock.advance(10_000);
      expect(await served()).toBe(first);
    }
    expect(warnings).toBe(1);
    await write(await createServingIdentity());
    await eventually(async () => {
      await clock.advance(10_000);
      expect(await served()).not.toBe(first);
    });
  });

  it('S-5: names a missing file', async () => {
    const files = { certFile: join(directory, 'none.crt'), keyFile: join(directory, 'tls.key') };
    await expect(new ServingCertificate({ files, clock, logger: silentLogger }).read()).rejects.toThrow('none.crt');
  });
});
