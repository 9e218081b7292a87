import { inspect } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { nameLookups } from '../dns/name-lookups.ts';
import type { Handler } from '../transport/server.fixture.ts';
import { failureOf, transportFixture } from '../transport/transport.fixture.ts';
import { createIdentity } from './identity.ts';

const { startServer, authority } = transportFixture();
const { signal } = new AbortController();

/** An unsigned token that ends at `end`, in milliseconds since the Unix epoch. */
function token(subject: string, end: number): string {
  const parts = [{ alg: 'RS256' }, claimsOf(subject, end), {}];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

const claimsOf = (sub: string, end: number) => ({
  iss: issuer,
  aud: 'mcr',
  sub,
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(end / 1000),
});

let issuer: string;
let refreshes: number;

/** Gives a token that lives for an hour for each refresh token of the form `refresh-<n>`. */
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

/** Here the providers' own time is the machine's: the clock begins at it. */
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
  it('uses the token that it has', async () => {
    const { identity } = await oidc((now) => token('first', now + 600_000));
    expect(subjectOf((await identity.current(signal)).headers['authorization'])).toBe('first');
    expect(refreshes).toBe(0);
  });

  it('F-13: refreshes a token once for all requests, and uses it until 80 % of its life have passed', async () => {
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

  it('F-12: resolves the name of the provider with the lookups that all connections share', async () => {
    const { identity } = await oidc((now) => token('expired', now - 1_000));
    const resolve = jest.spyOn(nameLookups, 'resolve');
    expect(subjectOf((await identity.current(signal)).headers['authorization'])).toBe('refreshed-1');
    expect(resolve).toHaveBeenCalledWith('localhost');
    resolve.mockRestore();
  });

  it('S-4: says that it got none, without a credential', async () => {
    const { identity } = await oidc((now) => token('expired', now - 1_000));
    refreshes = 2;
    const error = await failureOf(identity.current(signal));
    expect(error).toMatchObject({ code: 'credentials' });
    expect(error.message).toContain('h: the auth-provider oidc gave no token: ');
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it('F-13: refreshes a token that is good but not accepted', async () => {
    const { identity } = await oidc((now) => token('revoked', now + 600_000));
    identity.rejected(await identity.current(signal));
    expect(subjectOf((await identity.current(signal)).headers['authorization'])).toBe('refreshed-1');
  });

  it.each(['/.well-known/openid-configuration', '/token'])(
    'gives a provider up that does not answer %s within a minute, and leaves no request behind',
    async (silent) => {
      const asked = Promise.withResolvers<undefined>();
      const ended = Promise.withResolvers<undefined>();
      const { identity, clock } = await oidc(
        (now) => token('expired', now - 1_000),
        (request, response) => {
          if (request.url === silent) {
            response.once('close', () => ended.resolve(undefined));
            asked.resolve(undefined);
          } else identityProvider(request, response);
        },
      );
      const failure = failureOf(identity.current(signal));
      await asked.promise;
      await clock.advance(60_000);
      expect((await failure).message).toBe('h: the auth-provider oidc gave no token: no answer within 60000 ms');
      await ended.promise;
    },
  );

  it('is given up when nobody needs it any more', async () => {
    const asked = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const { identity } = await oidc(
      (now) => token('expired', now - 1_000),
      (_, response) => {
        response.once('close', () => ended.resolve(undefined));
        asked.resolve(undefined);
      },
    );
    const failure = failureOf(identity.current(signal));
    await asked.promise;
    identity.close();
    expect(await failure).toMatchObject({ code: 'credentials' });
    await ended.promise;
  });

  it('is refused when it is of a kind that is not known', async () => {
    const auth = { type: 'authProvider', name: 'canary-kind', config: { password: 'canary' } } as const;
    const identity = createIdentity({ server: 'https://h', auth }, 'h', new VirtualClock());
    expect((await failureOf(identity.current(signal))).message).toContain('canary-kind gave no token: it is not');
  });
});
