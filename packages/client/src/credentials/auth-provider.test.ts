import { inspect } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { nameLookups } from '../dns/name-lookups.ts';
import type { Handler } from '../transport/server.fixture.ts';
import { failureOf, transportFixture } from '../transport/transport.fixture.ts';
import { createIdentity } from './identity.ts';

const { startServer, authority } = transportFixture();
const { signal } = new AbortController();

/** Returns an unsigned token that expires at `expiry`, in milliseconds since the Unix epoch. */
function token(subject: string, expiry: number): string {
  const parts = [{ alg: 'RS256' }, claimsOf(subject, expiry), {}];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

const claimsOf = (sub: string, expiry: number) => ({
  iss: issuer,
  aud: 'mcr',
  sub,
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(expiry / 1000),
});

let issuer: string;
let refreshes: number;

/** Responds to the first two refreshes with a token that is valid for an hour, and refuses later ones. */
const identityProvider: Handler = (request, response) => {
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.url === '/.well-known/openid-configuration') {
    answer(200, { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` });
    return;
  }
  refreshes += 1;
  if (refreshes > 2) {
    answer(400, { error: 'invalid_grant', error_description: 'canary' });
    return;
  }
  answer(200, {
    access_token: 'unused',
    token_type: 'bearer',
    expires_in: 3600,
    id_token: token(`refreshed-${refreshes}`, Date.now() + 3_600_000),
    refresh_token: `refresh-${refreshes}`,
  });
};

/** The clock starts at the system time, which `openid-client` uses. */
async function oidc(idToken: (now: number) => string, provider: Handler = identityProvider) {
  const server = await startServer(provider, { protocol: 'http/1.1' });
  issuer = `https://localhost:${server.port}`;
  refreshes = 0;
  const clock = new VirtualClock(Date.now());
  const config = {
    'idp-issuer-url': issuer,
    'idp-certificate-authority-data': Buffer.from(authority().cert).toString('base64'),
    'client-id': 'mcr',
    'client-secret': 'canary-secret',
    'id-token': idToken(Date.now()),
    'refresh-token': 'refresh-0',
  };
  const auth = { type: 'authProvider', name: 'oidc', config } as const;
  return { clock, identity: createIdentity({ server: 'https://h', auth }, 'h', clock) };
}

const subjectOf = (authorization: unknown) => {
  const claims: unknown = JSON.parse(Buffer.from(String(authorization).split('.')[1] ?? '', 'base64url').toString());
  return (claims as { sub: string }).sub;
};

describe('the auth-provider oidc', () => {
  it('uses the id-token of the config', async () => {
    const { identity } = await oidc((now) => token('first', now + 600_000));
    expect(subjectOf((await identity.current(signal)).headers['authorization'])).toBe('first');
    expect(refreshes).toBe(0);
  });

  it('F-13: refreshes a token once for all requests, and uses it for 80 % of its lifetime', async () => {
    const { identity, clock } = await oidc((now) => token('expired', now - 1_000));
    const subject = async () => subjectOf((await identity.current(signal)).headers['authorization']);
    expect(await Promise.all([subject(), subject(), subject()])).toEqual(Array(3).fill('refreshed-1'));
    await clock.advance(0.79 * 3_600_000);
    expect(await subject()).toBe('refreshed-1');
    expect(refreshes).toBe(1);
    await clock.advance(0.02 * 3_600_000);
    expect(await subject()).toBe('refreshed-2');
    expect(refreshes).toBe(2);
  });

  it('F-12: resolves the name of the provider with the shared name lookups', async () => {
    const { identity } = await oidc((now) => token('expired', now - 1_000));
    const resolve = jest.spyOn(nameLookups, 'resolve');
    expect(subjectOf((await identity.current(signal)).headers['authorization'])).toBe('refreshed-1');
    expect(resolve).toHaveBeenCalledWith('localhost');
    resolve.mockRestore();
  });

  it('S-4: reports a failed refresh without a credential', async () => {
    const { identity } = await oidc((now) => token('expired', now - 1_000));
    refreshes = 2;
    const error = await failureOf(identity.current(signal));
    expect(error).toMatchObject({ code: 'credentials' });
    expect(error.message).toContain('h: the auth-provider oidc returned no token: ');
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it('F-13: refreshes a token that has not expired but was rejected', async () => {
    const { identity } = await oidc((now) => token('revoked', now + 600_000));
    identity.rejected(await identity.current(signal));
    expect(subjectOf((await identity.current(signal)).headers['authorization'])).toBe('refreshed-1');
  });

  it.each(['/.well-known/openid-configuration', '/token'])(
    'fails if a provider does not respond to %s within a minute, and aborts the request',
    async (silent) => {
      const requested = Promise.withResolvers<undefined>();
      const ended = Promise.withResolvers<undefined>();
      const { identity, clock } = await oidc(
        (now) => token('expired', now - 1_000),
        (request, response) => {
          if (request.url === silent) {
            response.once('close', () => ended.resolve(undefined));
            requested.resolve(undefined);
          } else identityProvider(request, response);
        },
      );
      const failure = failureOf(identity.current(signal));
      await requested.promise;
      await clock.advance(60_000);
      expect((await failure).message).toBe('h: the auth-provider oidc returned no token: no response within 60000 ms');
      await ended.promise;
    },
  );

  it('aborts its request when the identity is closed', async () => {
    const requested = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const { identity } = await oidc(
      (now) => token('expired', now - 1_000),
      (_, response) => {
        response.once('close', () => ended.resolve(undefined));
        requested.resolve(undefined);
      },
    );
    const failure = failureOf(identity.current(signal));
    await requested.promise;
    identity.close();
    expect(await failure).toMatchObject({ code: 'credentials' });
    await ended.promise;
  });

  it('fails if the auth-provider is unknown', async () => {
    const auth = { type: 'authProvider', name: 'canary-kind', config: { password: 'canary' } } as const;
    const identity = createIdentity({ server: 'https://h', auth }, 'h', new VirtualClock());
    expect((await failureOf(identity.current(signal))).message).toContain('canary-kind returned no token: it is not');
  });
});
