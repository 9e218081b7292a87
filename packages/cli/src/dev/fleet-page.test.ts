import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FleetPages } from './fleet-page.ts';

describe('FleetPages', () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/dashboard' ? status : 500).end();
  });
  let status = 200;
  let metrics: string;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    metrics = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const begin = (open?: (url: string) => Promise<void>) => {
    const lines: string[] = [];
    const say = { step: (text: string) => void lines.push(text), problem: (text: string) => void lines.push(text) };
    return { lines, pages: new FleetPages({ say, open, signal: new AbortController().signal }) };
  };
  const replicaOf = (name: string, endpoints: { readonly metrics?: string }) => ({ name, endpoints });

  it('WB-2: prints the page of each replica once, and opens the first one', async () => {
    const opened: string[] = [];
    const { lines, pages } = begin(async (url) => void opened.push(url));
    const [first, second] = [replicaOf('a-0', { metrics }), replicaOf('a-1', { metrics })];
    for (const replica of [first, second, first]) await pages.find(replica);
    expect(lines).toEqual([`fleet page of a-0: ${metrics}/dashboard`, `fleet page of a-1: ${metrics}/dashboard`]);
    expect(opened).toEqual([`${metrics}/dashboard`]);
  });

  it('WB-2: says once how to add a page, and finds it after the program has added it', async () => {
    const { lines, pages } = begin();
    const replica = replicaOf('a', { metrics });
    status = 404;
    await pages.find(replica);
    await pages.find(replica);
    expect(lines).toEqual(["no fleet page: call addDashboard(manager, { title: '...' }) of @mcr/dashboard in setup()"]);
    status = 200;
    await pages.find(replica);
    expect(lines[1]).toBe(`fleet page of a: ${metrics}/dashboard`);
  });

  it('WB-2: says what is missing without metrics', async () => {
    const { lines, pages } = begin();
    await pages.find(replicaOf('a', {}));
    expect(lines).toEqual([expect.stringMatching(/^no fleet page, because no metrics are served: set metrics: /u)]);
  });

  it('WB-2: reports a browser that cannot be opened', async () => {
    const { lines, pages } = begin(() => Promise.reject(new Error('spawn xdg-open ENOENT')));
    await pages.find(replicaOf('a', { metrics }));
    expect(lines[1]).toBe('failed to open a browser: spawn xdg-open ENOENT: open the page yourself, or use --no-open');
  });
});
