import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createIdentity, type Identity } from './identity.ts';

const clock = new VirtualClock();
const { signal } = new AbortController();

const identityOf = (config: Omit<ClusterConfig, 'server'>) =>
  createIdentity({ server: 'https://h', ...config }, 'h', clock);

const headersNow = async (identity: Identity) => (await identity.current(signal)).headers;

const headersOf = (config: Omit<ClusterConfig, 'server'>) => headersNow(identityOf(config));

it('sends nothing without credentials', async () => {
  expect(await headersOf({})).toEqual({});
});

it('sends a bearer token', async () => {
  expect(await headersOf({ auth: { type: 'token', token: 't' } })).toEqual({ authorization: 'Bearer t' });
});

it('sends a user name and password', async () => {
  const auth = { type: 'basic', username: 'me', password: 'pä:ss' } as const;
  expect(await headersOf({ auth })).toEqual({ authorization: `Basic ${Buffer.from('me:pä:ss').toString('base64')}` });
});

it('sends the headers of the caller, and reports a failure to obtain them', async () => {
  const headers = () => Promise.resolve({ Authorization: 'Custom x' });
  expect(await headersOf({ auth: { type: 'custom', headers } })).toEqual({ authorization: 'Custom x' });

  const cause = new Error('no ticket');
  await expect(headersOf({ auth: { type: 'custom', headers: () => Promise.reject(cause) } })).rejects.toMatchObject({
    code: 'credentials',
    message: 'h: auth.headers (type custom) failed',
    cause,
  });
});

it('P-8: knows credentials that never change, once it has returned them', async () => {
  const identity = identityOf({ auth: { type: 'token', token: 't' }, impersonate: { user: 'jane' } });
  expect(identity.constant).toBeUndefined();
  const credentials = await identity.current(signal);
  expect(identity.constant).toBe(credentials);
});

it.each<[string, Omit<ClusterConfig, 'server'>]>([
  ['headers of the caller', { auth: { type: 'custom', headers: () => Promise.resolve({ authorization: 'x' }) } }],
  ['a certificate authority in a file', { tls: { caFile: import.meta.filename }, auth: { type: 'token', token: 't' } }],
])('does not know %s, which may change', async (_, config) => {
  const identity = identityOf(config);
  await identity.current(signal).catch(() => undefined);
  expect(identity.constant).toBeUndefined();
});

it('sends impersonation headers', async () => {
  const impersonate = { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { 'example.com/Scope': ['x', 'y'] } };
  expect(await headersOf({ auth: { type: 'token', token: 't' }, impersonate })).toEqual({
    authorization: 'Bearer t',
    'impersonate-user': 'jane',
    'impersonate-uid': '7',
    'impersonate-group': ['a', 'b'],
    'impersonate-extra-example.com%2fscope': ['x', 'y'],
  });
});

describe('a token file', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'token-'));
    path = join(directory, 'token');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const tokenFile = () => identityOf({ auth: { type: 'tokenFile', path } });

  it('is read again after 10 s, and not before', async () => {
    await writeFile(path, 'first\n');
    const identity = tokenFile();
    expect(await headersNow(identity)).toEqual({ authorization: 'Bearer first' });
    await writeFile(path, 'second\n');
    await clock.advance(9_999);
    expect(await headersNow(identity)).toEqual({ authorization: 'Bearer first' });
    await clock.advance(1);
    expect(await headersNow(identity)).toEqual({ authorization: 'Bearer second' });
  });

  it('is read again immediately after the server rejected its token', async () => {
    await writeFile(path, 'first');
    const identity = tokenFile();
    const first = await identity.current(signal);
    await writeFile(path, 'second');
    identity.rejected(first);
    expect(await headersNow(identity)).toEqual({ authorization: 'Bearer second' });
  });

  it('keeps the last token while the file cannot be read', async () => {
    await writeFile(path, 'first');
    const identity = tokenFile();
    await headersNow(identity);
    await rm(path);
    await clock.advance(10_000);
    expect(await headersNow(identity)).toEqual({ authorization: 'Bearer first' });
  });

  it('is named in the error if it was never read', async () => {
    await expect(headersNow(tokenFile())).rejects.toMatchObject({
      code: 'credentials',
      message: `h: no token in the token file ${path}`,
    });
    await writeFile(path, ' \n');
    await expect(headersNow(tokenFile())).rejects.toMatchObject({ code: 'credentials' });
  });
});
