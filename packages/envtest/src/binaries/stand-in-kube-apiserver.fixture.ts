import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SigningKey } from '../../../apiserver/src/access/signing-key.ts';
import { ADMIN } from '../../../apiserver/src/access/user.ts';
import { SecureServer } from '../../../apiserver/src/http/secure-server.ts';
import { LogicalCluster } from '../../../apiserver/src/logical-cluster.ts';

/* The embedded server, configured by the flags of kube-apiserver. */

const text = { type: 'string' } as const;
const { values } = parseArgs({
  strict: false,
  options: {
    'etcd-servers': text,
    'secure-port': text,
    'tls-cert-file': text,
    'tls-private-key-file': text,
    'client-ca-file': text,
    'token-auth-file': text,
  },
});
const read = (flag: keyof typeof values): string => readFileSync(String(values[flag]), 'utf8');

const { journal } = (await (await fetch(String(values['etcd-servers']))).json()) as { journal: string };
const cluster = await LogicalCluster.open({
  name: 'stand-in',
  secureServer: new SecureServer({
    caCertificate: read('client-ca-file'),
    certificate: read('tls-cert-file'),
    key: read('tls-private-key-file'),
  }),
  signingKey: new SigningKey(read('tls-private-key-file')),
  port: Number(values['secure-port']),
  historyLimit: 10_000,
  bookmarkInterval: 60_000,
  featureGates: {},
  controllers: false,
  journalPath: journal,
});
const [token = ''] = read('token-auth-file').split(',');
cluster.access.tokens.add({ token, user: ADMIN });
process.on('SIGTERM', () => process.exit(0));
