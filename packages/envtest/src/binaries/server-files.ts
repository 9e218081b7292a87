import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createDirectory, identitySchema, PORTS } from '@mcr/apiserver/protocol';
import * as z from 'zod';

/** Values that are created once for a control plane and stay the same when it restarts. */
const recordSchema = z.strictObject({
  port: z.int(),
  identity: identitySchema,
  /** Bearer token of an administrator. */
  token: z.string(),
  /** Key that signs the tokens of service accounts, in PEM. */
  serviceAccountKey: z.string(),
});
export type ServerRecord = z.infer<typeof recordSchema>;

/** Paths of the files that the flags of `kube-apiserver` name. */
export interface ServerFiles {
  readonly etcdData: string;
  readonly etcdLog: string;
  readonly apiServerLog: string;
  readonly caCertificate: string;
  readonly certificate: string;
  readonly key: string;
  readonly serviceAccountKey: string;
  readonly tokens: string;
}

export function filesIn(directory: string): ServerFiles {
  return {
    etcdData: join(directory, 'etcd'),
    etcdLog: join(directory, 'etcd.log'),
    apiServerLog: join(directory, 'kube-apiserver.log'),
    caCertificate: join(directory, 'ca.crt'),
    certificate: join(directory, 'apiserver.crt'),
    key: join(directory, 'apiserver.key'),
    serviceAccountKey: join(directory, 'service-account.key'),
    tokens: join(directory, 'tokens.csv'),
  };
}

/**
 * Writes the files of a new control plane, or reads those that exist.
 *
 * @param port 0: the port that it had before, or a free one.
 */
export async function prepareFiles(directory: string, port: number): Promise<ServerRecord> {
  createDirectory(directory, 0o700);
  const recordPath = join(directory, 'control-plane.json');
  const text = await readFile(recordPath, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  });
  const stored = text === undefined ? await createRecord(port) : recordSchema.parse(JSON.parse(text));
  const record = port === 0 ? stored : { ...stored, port };
  const { identity, token, serviceAccountKey } = record;
  const files = filesIn(directory);
  const write = (path: string, content: string): Promise<void> => writeFile(path, content, { mode: 0o600 });
  await write(files.caCertificate, identity.caCertificate);
  await write(files.certificate, identity.certificate);
  await write(files.key, identity.key);
  await write(files.serviceAccountKey, serviceAccountKey);
  await write(files.tokens, `${token},kubernetes-admin,,"system:masters"\n`);
  // Written last: if the record exists, all other files exist.
  await write(recordPath, JSON.stringify(record));
  return record;
}

async function createRecord(port: number): Promise<ServerRecord> {
  // Loaded on demand: only this function needs the certificate library.
  const { createIdentity } = await import('@mcr/apiserver/tls');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    port: port === 0 ? await freePort() : port,
    identity: await createIdentity(),
    token: randomBytes(32).toString('base64url'),
    serviceAccountKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
}

/** Returns a port of 127.0.0.1 that is free at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
