import { once } from 'node:events';
import { join } from 'node:path';
import { SigningKey } from '../access/signing-key.ts';
import { SecureServer } from '../http/secure-server.ts';
import { LogicalCluster } from '../logical-cluster.ts';
import { claimStorage } from './etcd-claim.ts';
import type { Settings } from './kube-apiserver-settings.ts';
import { servingCertificate } from './serving-certificate.ts';
import { parseTokenFile } from './token-file.ts';

/** Number of events of each resource that a watch can resume from, and the interval of bookmarks in milliseconds. */
const HISTORY = 10_000;
const BOOKMARK_INTERVAL = 60_000;

/** Serves one cluster until SIGTERM or SIGINT, or until its etcd ends. Exits the process. */
export async function serve(settings: Settings, log: (message: string) => void): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const storage = await claimStorage(settings.etcdUrl, stop.signal);
  const certificate = await servingCertificate(settings);
  const cluster = await LogicalCluster.open({
    name: 'kube-apiserver',
    secureServer: new SecureServer({
      ...certificate,
      caCertificate: settings.clientAuthority ?? certificate.certificate,
    }),
    signingKey: new SigningKey(settings.signingKey, settings.issuer),
    port: settings.port,
    historyLimit: HISTORY,
    bookmarkInterval: BOOKMARK_INTERVAL,
    featureGates: settings.featureGates,
    // Suites for envtest expect a kube-apiserver without a kube-controller-manager beside it.
    controllers: false,
    journalPath: join(storage.directory, 'kube-apiserver.ndjson'),
    standalone: {
      host: settings.host,
      authorization: settings.authorization,
      tokens: parseTokenFile(settings.tokens),
    },
  });
  log(`serving on ${settings.host}:${settings.port}`);
  const stopped = stop.signal.aborted ? Promise.resolve() : once(stop.signal, 'abort').then(() => undefined);
  const lost = await Promise.race([stopped.then(() => false), storage.lost.then(() => true)]);
  await cluster.close();
  storage.release();
  if (lost) log(`the etcd at ${settings.etcdUrl} ended: start etcd and kube-apiserver again`);
  process.exit(lost ? 1 : 0);
}
