import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createManager,
  InMemoryProvider,
  type Logger,
  type Manager,
  type ManagerOptions,
  silentLogger,
} from '@mcr/core';
import { createControlPlane, createServingIdentity } from '@mcr/envtest';
import { addDashboard, type DashboardOptions } from './add-dashboard.ts';
import { html, script, style } from './page.built.ts';

/** WB-8: maximum size of the script, in bytes. */
const SCRIPT_BUDGET = 60 * 1024;

interface Started extends AsyncDisposable {
  readonly manager: Manager;
  readonly address: string;
}

async function start(options: ManagerOptions, dashboard: DashboardOptions = {}): Promise<Started> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const logger: Logger = {
    ...silentLogger,
    info: (message, fields) => {
      if (message === 'server listening') resolve(String(fields?.['address']));
    },
  };
  const manager = await createManager({ logger, ...options });
  addDashboard(manager, dashboard);
  const end = new AbortController();
  const stopped = manager.start(end.signal).catch(reject);
  return {
    manager,
    address: await promise,
    async [Symbol.asyncDispose]() {
      end.abort();
      await stopped;
    },
  };
}

/** Sends a request and returns its response when the headers are there. */
async function send(url: string, options: RequestOptions & { readonly ca?: string } = {}): Promise<IncomingMessage> {
  const sent = (url.startsWith('https:') ? request : requestHttp)(url, { agent: false, ...options });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe('the dashboard', () => {
  let started: Started;

  beforeEach(async () => {
    started = await start({ provider: new InMemoryProvider(), metrics: { bindAddress: '127.0.0.1:0' } });
  });
  afterEach(async () => started[Symbol.asyncDispose]());

  const get = (path: string, options?: RequestOptions) => send(`${started.address}${path}`, options);

  it('WB-8: serves its files with a strict policy, and again only if they have changed', async () => {
    const files = { '': 'text/html', '/page.js': 'text/javascript', '/page.css': 'text/css', '/icon.svg': 'image/svg' };
    for (const [path, type] of Object.entries(files)) {
      const response = await get(`/dashboard${path}`);
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toContain(type);
      const policy = String(response.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).not.toMatch(/unsafe|\*|http/u);
      expect(response.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' });
      expect((await textOf(response)).length).toBeGreaterThan(0);
      const again = await get(`/dashboard${path}`, { headers: { 'if-none-match': String(response.headers.etag) } });
      expect(again.statusCode).toBe(304);
      expect((await get(`/dashboard${path}`, { method: 'HEAD' })).statusCode).toBe(200);
      expect((await get(`/dashboard${path}`, { method: 'POST' })).statusCode).toBe(405);
    }
    const redirect = await get('/dashboard/');
    expect([redirect.statusCode, redirect.headers.location]).toEqual([308, '../dashboard']);
    expect((await get('/dashboard/other')).statusCode).toBe(404);
  });

  it('WB-8: is small, and requests nothing from elsewhere', () => {
    expect(Buffer.byteLength(script)).toBeLessThanOrEqual(SCRIPT_BUDGET);
    expect(html + style).not.toMatch(/https?:|\/\/|<style|style=|\bon\w+=|<script(?! type="module" src=")/u);
    // The namespace of SVG, and a link to the documentation.
    const addresses = [...script.matchAll(/https?:\/\/[^/"'`]+/gu)].map(([address]) => address);
    expect([...new Set(addresses)].sort()).toEqual(['http://www.w3.org', 'https://github.com']);
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|localStorage|cookie/u);
  });

  it('WB-8: streams the fleet, and answers questions about one cluster', async () => {
    started.manager.fleet.recorder.phase('eu-1', 'Engaged', 'all sources have synced');
    const events = await get('/dashboard/events');
    expect(events.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const [chunk] = (await once(events, 'data')) as [Buffer];
    expect(String(chunk)).toContain('"name":"eu-1"');
    events.destroy();
    const detail = JSON.parse(await textOf(await get('/dashboard/cluster?name=eu-1'))) as object;
    expect(detail).toMatchObject({ status: { name: 'eu-1', history: [{ phase: 'Engaged' }] } });
    expect((await get('/dashboard/cluster?name=eu-2')).statusCode).toBe(404);
    expect((await get('/dashboard/cluster')).statusCode).toBe(404);
  });

  it('WB-9: refuses data to pages of other sites', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const response = await get('/dashboard/events', { headers: { 'sec-fetch-site': site } });
      expect([response.statusCode, await textOf(response)]).toEqual([
        403,
        '{"error":"requests from other sites are refused"}',
      ]);
    }
    const own = await get('/dashboard/events', { headers: { 'sec-fetch-site': 'same-origin' } });
    expect(own.statusCode).toBe(200);
    own.destroy();
    expect((await get('/dashboard/events', { method: 'HEAD' })).statusCode).toBe(405);
    expect((await get('/dashboard/cluster', { headers: { host: 'attacker.example' } })).statusCode).toBe(403);
  });

  it('WB-8: stops with the manager while pages are open', async () => {
    const events = await get('/dashboard/events');
    const ended = new Promise((resolve) => events.resume().once('error', resolve));
    await started[Symbol.asyncDispose]();
    await ended;
  });

  it('WB-8: refuses wrong options, a second dashboard, and a manager without metrics', async () => {
    const { manager } = started;
    expect(() => addDashboard(manager)).toThrow('a metrics handler for /dashboard exists already');
    expect(() => addDashboard(manager, { maxViewers: 0 })).toThrow('addDashboard: option "maxViewers"');
    expect(() => addDashboard(manager, { titel: 'x' } as DashboardOptions)).toThrow('addDashboard:');
    const silent = await createManager({ provider: new InMemoryProvider(), metrics: { bindAddress: '0' } });
    expect(() => addDashboard(silent)).toThrow('set metrics.bindAddress');
  });
});

it('WB-9: with restricted access, the page needs no token, and its data needs one of a user who may read it', async () => {
  await using hub = await createControlPlane();
  const identity = await createServingIdentity();
  const directory = await mkdtemp(join(tmpdir(), 'mcr-dashboard-'));
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  await writeFile(certFile, identity.certificate);
  await writeFile(keyFile, identity.key);
  try {
    await using started = await start({
      config: hub.config,
      metrics: { bindAddress: '127.0.0.1:0', certificate: { certFile, keyFile }, access: 'authorized' },
    });
    const ca = identity.caCertificate;
    const status = async (path: string, token?: string): Promise<number | undefined> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const response = await send(`${started.address}${path}`, { ca, headers });
      response.destroy();
      return response.statusCode;
    };
    const { auth } = hub.config;
    const admin = auth?.type === 'token' ? auth.token : undefined;
    for (const path of ['', '/', '/page.js', '/page.css', '/icon.svg'])
      expect(await status(`/dashboard${path}`)).toBe(path === '/' ? 308 : 200);
    for (const path of ['/dashboard/events', '/dashboard/cluster?name=', '/fleet']) {
      expect(await status(path)).toBe(401);
      expect(await status(path, 'made-up')).toBe(401);
      expect(await status(path, admin)).toBe(200);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('WB-8: costs nothing when it is not used: the core does not know it', async () => {
  const sources = join(import.meta.dirname, '..', '..', 'core');
  const files = await readdir(join(sources, 'src'), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  texts.push(readFile(join(sources, 'package.json'), 'utf8'));
  for (const text of await Promise.all(texts)) expect(text).not.toContain('@mcr/dashboard');
});
