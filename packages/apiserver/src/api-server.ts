import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SigningKey } from './access/signing-key.ts';
import { ADMIN, userOf } from './access/user.ts';
import { createDirectory } from './create-directory.ts';
import { SecureServer } from './http/secure-server.ts';
import { lockDirectory } from './storage/directory-lock.ts';
import { LogicalCluster } from './logical-cluster.ts';
import type { ApiServerOptions, ClusterAddress, ClusterOptions, Command, Result } from './protocol.ts';
import type { Identity } from './tls/identity.ts';
import { identitySchema } from './tls/identity.ts';
import { Turn } from './turn.ts';

type IssueCertificate = Extract<Command, { method: 'issueCertificate' }>;
type Seed = Extract<Command, { method: 'seed' }>;

/** A Kubernetes API server that hosts any number of logical clusters, each on its own port, with one certificate. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #identity: Identity;
  readonly #secureServer: SecureServer;
  readonly #signingKey: SigningKey;
  readonly #clusters = new Map<string, LogicalCluster>();
  readonly #unlock: () => void;

  private constructor(options: ApiServerOptions, identity: Identity, unlock: () => void) {
    this.#options = options;
    this.#unlock = unlock;
    this.#identity = identity;
    this.#secureServer = new SecureServer(identity);
    this.#signingKey = new SigningKey(identity.key);
  }

  /**
   * Starts without clusters. Reads the certificate from `dataDir`, or creates one.
   *
   * @throws {Error} that names the option, and the directory or the file that cannot be used.
   */
  static async start(options: ApiServerOptions): Promise<ApiServer> {
    const { dataDir } = options;
    if (dataDir === undefined) return new ApiServer(options, await newIdentity(), () => undefined);
    try {
      createDirectory(dataDir, 0o700);
      const unlock = lockDirectory(dataDir);
      try {
        return new ApiServer(options, await loadIdentity(dataDir), unlock);
      } catch (error) {
        unlock();
        throw error;
      }
    } catch (cause) {
      throw new Error(`dataDir: ${(cause as Error).message}`, { cause });
    }
  }

  /**
   * Runs a command, such as one of the parent process.
   *
   * @throws {Error} if its cluster does not exist.
   */
  async execute(command: Exclude<Command, { method: 'start' }>): Promise<Result> {
    switch (command.method) {
      case 'createCluster':
        return this.createCluster(command);
      case 'removeCluster':
        await this.#cluster(command.name).close();
        this.#clusters.delete(command.name);
        return null;
      case 'issueToken':
        return this.#cluster(command.name).issueToken(
          command.user === undefined ? ADMIN : userOf(command.user, command.groups ?? []),
        );
      case 'issueCertificate':
        return this.#issueCertificate(command);
      case 'throttle':
        this.#cluster(command.name).throttle(command);
        return null;
      case 'revokeToken':
        this.#cluster(command.name).revokeToken(command.token);
        return null;
      case 'compact':
        this.#cluster(command.name).compact();
        return null;
      case 'endWatches':
        this.#cluster(command.name).endWatches();
        return null;
      case 'cutConnections':
        this.#cluster(command.name).cutConnections();
        return null;
      case 'suspend':
        await this.#cluster(command.name).suspend();
        return null;
      case 'resume':
        await this.#cluster(command.name).resume();
        return null;
      case 'seed':
        await seed(this.#cluster(command.name), command);
        return null;
      case 'stop':
        await this.stop();
        return null;
    }
  }

  /**
   * Creates a logical cluster and starts serving it. A cluster in `dataDir` keeps its objects and tokens.
   *
   * @throws {Error} if the name or the port is in use.
   * @throws {StatusError} if a CustomResourceDefinition is invalid.
   */
  async createCluster({ name, port, crds }: ClusterOptions): Promise<ClusterAddress> {
    if (this.#clusters.has(name))
      throw new Error(`the cluster ${JSON.stringify(name)} already exists: use another name`);
    const { dataDir, historyLimit, bookmarkInterval, featureGates, services, controllers } = this.#options;
    const journalPath = dataDir === undefined ? undefined : join(dataDir, `${name}.ndjson`);
    const cluster = await LogicalCluster.open({
      name,
      secureServer: this.#secureServer,
      signingKey: this.#signingKey,
      port,
      historyLimit,
      controllers,
      bookmarkInterval,
      featureGates,
      services,
      journalPath,
    });
    this.#clusters.set(name, cluster);
    for (const definition of crds) cluster.ensure(definition);
    return { port: cluster.port, caCertificate: this.#identity.caCertificate, token: cluster.firstToken };
  }

  /** Stops serving all clusters. */
  async stop(): Promise<void> {
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.close()));
    this.#clusters.clear();
    this.#unlock();
  }

  async #issueCertificate({ name, user, groups }: IssueCertificate): Promise<Result> {
    this.#cluster(name);
    const { issueClientCertificate } = await import('./tls/authority.ts');
    return issueClientCertificate(this.#identity, { user, groups, cluster: name });
  }

  #cluster(name: string): LogicalCluster {
    const cluster = this.#clusters.get(name);
    if (!cluster) throw new Error(`the cluster ${JSON.stringify(name)} does not exist`);
    return cluster;
  }
}

/** Creates many copies of an object, named `<name>-0` and so on. */
async function seed(cluster: LogicalCluster, { object, count }: Seed): Promise<void> {
  const { metadata } = object;
  const turn = new Turn();
  for (let index = 0; index < count; index++) {
    if (turn.isOver) await turn.next();
    cluster.create({ ...object, metadata: { ...metadata, name: `${metadata.name}-${index}` } });
  }
}

/** Reads the certificate from the data directory, or creates one. @throws {Error} that names the file. */
async function loadIdentity(dataDir: string): Promise<Identity> {
  const path = join(dataDir, 'identity.json');
  if (existsSync(path)) return readIdentity(path);
  const identity = await newIdentity();
  writeFileSync(path, JSON.stringify(identity), { mode: 0o600 });
  return identity;
}

function readIdentity(path: string): Identity {
  try {
    return identitySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Error(`${path} is not the certificate of an API server: delete the file, or use another directory`, {
      cause,
    });
  }
}

async function newIdentity(): Promise<Identity> {
  // Loading the certificate library takes longer than the rest of the start. A restart does not need it.
  const { createIdentity } = await import('./tls/authority.ts');
  return createIdentity();
}
