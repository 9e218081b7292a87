import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogicalCluster } from '../logical-cluster.ts';
import { builtInTypes } from '../resources/kind-table.ts';
import { Access } from './access.ts';
import { signedToken } from './service-account-token.ts';
import { ISSUER, SigningKey } from './signing-key.ts';

const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const INVALID = 'invalid bearer token';
const NOT_SIGNED = `[${INVALID}, go-jose/go-jose: error in cryptographic primitive]`;

function clusterWithAccount(): LogicalCluster {
  const options = { historyLimit: 10, bookmarkInterval: 60_000, signingKey: key, types: builtInTypes };
  const cluster = LogicalCluster.inProcess(options);
  cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
  return cluster;
}

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const decoded = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;

describe('tokens of service accounts', () => {
  let cluster: LogicalCluster;
  let token: string;
  let parts: readonly [head: string, body: string, signature: string];

  beforeAll(() => {
    cluster = clusterWithAccount();
    const uid = cluster.store.resource('serviceaccounts').get('default/robot')?.uid ?? '';
    const claims = { namespace: 'default', serviceaccount: { name: 'robot', uid } };
    token = signedToken(key, { audiences: [ISSUER], expires: Date.now() + 600_000, claims });
    const [head = '', body = '', signature = ''] = token.split('.');
    parts = [head, body, signature];
  });

  afterAll(() => cluster.close());

  const errorOf = (sent: string): string | undefined => cluster.access.authenticate(sent).error;

  it('K-21: need no record, so that a server keeps none of those that it issued', () => {
    const access = new Access(cluster.store, { cluster: undefined, signingKey: key });
    expect(access.authenticate(token)).toMatchObject({
      user: {
        name: 'system:serviceaccount:default:robot',
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/u)] },
      },
      audiences: [ISSUER],
    });
  });

  it('K-21: are valid for a minute after their expiry and before their time', () => {
    const now = Math.floor(Date.now() / 1000);
    const issued = decoded(parts[1]);
    const shifted = (claims: object): string | undefined => errorOf(key.sign({ ...issued, ...claims }));
    expect([{ exp: now - 50 }, { nbf: now + 55 }, { iat: now + 55 }].map(shifted)).toEqual(Array(3).fill(undefined));
    const why = [{ exp: now - 62 }, { nbf: now + 70 }, { iat: now + 70 }].map(shifted);
    expect(why).toEqual(
      ['has expired', 'is not valid yet', 'is issued in the future'].map(
        (fault) => `[${INVALID}, service account token ${fault}]`,
      ),
    );
  });

  it.each([
    ['a changed signature', NOT_SIGNED, ([head, body, tail]) => [head, body, `AAAAAAAA${tail.slice(8)}`]],
    ['a short signature', NOT_SIGNED, ([head, body, tail]) => [head, body, tail.slice(0, 20)]],
    ['an empty signature', NOT_SIGNED, ([head, body]) => [head, body, '']],
    ['changed claims', NOT_SIGNED, ([head, body, tail]) => [head, encoded({ ...decoded(body), sub: 'x' }), tail]],
    ['no algorithm', NOT_SIGNED, ([, body, tail]) => [encoded({ alg: 'none' }), body, tail]],
    [
      'an unknown key',
      `[${INVALID}, invalid signature, no keys found]`,
      ([, body, tail]) => [encoded({ alg: 'ES256', kid: 'x' }), body, tail],
    ],
    ['another issuer', INVALID, ([head, body, tail]) => [head, encoded({ ...decoded(body), iss: 'x' }), tail]],
    ['a padded signature', INVALID, ([head, body, tail]) => [head, body, `${tail}==`]],
    ['a header that is not JSON', INVALID, ([, body, tail]) => ['eA', body, tail]],
    ['a header that is a number', INVALID, ([, body, tail]) => [encoded(1), body, tail]],
    ['a fourth part', INVALID, ([head, body, tail]) => [head, body, `${tail}.`]],
  ] as readonly [string, string, (parts: readonly [string, string, string]) => string[]][])(
    'K-21: are refused with %s, in the words of kube-apiserver: %s',
    (_, error, change) => {
      expect(errorOf(change(parts).join('.'))).toBe(error);
    },
  );

  it('K-21: are refused if the claims name no service account', () => {
    const { 'kubernetes.io': _, ...others } = decoded(parts[1]) as Record<string, unknown>;
    expect(errorOf(key.sign(others))).toBe(`[${INVALID}, service account token claims could not be validated]`);
  });

  it('K-21: are valid for any audience of the server without audiences, and for one audience as a text', () => {
    const claims = decoded(parts[1]);
    expect(errorOf(key.sign({ ...claims, aud: undefined }))).toBeUndefined();
    expect(errorOf(key.sign({ ...claims, aud: ISSUER }))).toBeUndefined();
    expect(errorOf(key.sign({ ...claims, aud: 'vault' }))).toContain('token audiences ["vault"] is invalid');
  });

  it('K-21: are refused by another cluster of the process, which has the same key', async () => {
    const other = clusterWithAccount();
    expect(other.access.authenticate(token).error).toMatch(/service account UID \(\S+\) does not match claim/u);
    await other.close();
  });

  it('K-21: can be revoked', () => {
    const other = key.sign(decoded(parts[1]) as Record<string, unknown>);
    cluster.revokeToken(other);
    expect([errorOf(other), errorOf(token)]).toEqual([INVALID, undefined]);
  });
});
