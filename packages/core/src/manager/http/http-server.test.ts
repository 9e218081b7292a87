import { expect, it } from '@jest/globals';
import type { Logger } from '@mcr/client';
import { eventually } from '../../testing/eventually.ts';
import type { HttpHandler } from './http-handler.ts';
import { HttpServer } from './http-server.ts';

it('S-5: failing requests do not fill the log, and no response may be taken for another type', async () => {
  let address: string | undefined;
  const failures: unknown[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: (_, fields) => void (address = String(fields?.['address'])),
    warn: () => undefined,
    error: (_, fields) => void failures.push(fields?.['path']),
    child: () => logger,
  };
  const handlers: Readonly<Record<string, HttpHandler>> = {
    '/works': (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    '/fails': () => Promise.reject(new Error('the hub cannot be reached')),
  };
  const server = new HttpServer({
    name: 'metrics',
    address: { text: '127.0.0.1:0', host: '127.0.0.1', port: 0 },
    route: (path) => handlers[path],
    logger,
  });
  const end = new AbortController();
  const stopped = server.run(end.signal);
  try {
    await eventually(() => expect(address).toMatch(/^http:/));
    for (const [path, status] of [
      ['/works', 200],
      ['/fails', 500],
      ['/none', 404],
    ] as const) {
      const response = await fetch(`${address}${path}`);
      expect([response.status, response.headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
    }
    const requests = Array.from({ length: 50 }, async () => (await fetch(`${address}/fails`)).status);
    expect(new Set(await Promise.all(requests))).toEqual(new Set([500]));
    expect(failures).toEqual(['/fails']);
  } finally {
    end.abort();
    await stopped;
  }
});
