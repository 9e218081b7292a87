import { Admission } from './admission/admission.ts';
import { Access } from './access/access.ts';
import type { SigningKey } from './access/signing-key.ts';
import { requestInfo } from './access/request-info.ts';
import { mayApprove } from './access/signer-permission.ts';
import type { AuthorizationMode } from './access/authorizer.ts';
import type { Token } from './access/tokens.ts';
import type { User } from './access/user.ts';
import { ADMIN } from './access/user.ts';
import { createBootstrapObjects } from './bootstrap/bootstrap.ts';
import { BackgroundTasks } from './controllers/background-tasks.ts';
import { startDefinitionController } from './controllers/definition-controller.ts';
import { startGarbageCollector } from './controllers/garbage-collector.ts';
import { startNamespaceController } from './controllers/namespace-controller.ts';
import { startRegistrationController } from './controllers/registration-controller.ts';
import type { FeatureGates } from './feature-gates.ts';
import { serveBindings } from './http/binding.ts';
import { serveCollection } from './http/collection.ts';
import { serveComponentStatuses } from './http/component-statuses.ts';
import { Exchange } from './http/exchange.ts';
import { Listener } from './http/listener.ts';
import type { RequestMessage, ResponseMessage } from './http/message.ts';
import { serveObject } from './http/object.ts';
import { customObjectOf, findRoute, requireNamespace } from './http/route.ts';
import { timeoutFault } from './http/request-timeout.ts';
import type { SecureServer } from './http/secure-server.ts';
import { serveDocument } from './http/server-documents.ts';
import { findWatchPath, serveWatchPath, watchPathFault } from './http/watch-path.ts';
import { builtInTypes } from './resources/kind-table.ts';
import { ResourceRegistry } from './resources/registry.ts';
import type { ResourceType } from './resources/resource-type.ts';
import { apiVersionOf } from './resources/resource-type.ts';
import { aggregatedApis, isUnavailable } from './discovery/aggregated-apis.ts';
import { badRequest, internalError, noSuchResource, notFound, StatusError } from './status.ts';
import { ClusterStore } from './storage/cluster-store.ts';
import { Journal } from './storage/journal.ts';
import { objectKey, storeObject } from './storage/stored-object.ts';
import { repairAddresses } from './verbs/cluster-addresses.ts';
import { create } from './verbs/create.ts';
import { addressesByHost, type ServiceAddresses } from './webhooks/service-addresses.ts';
import { WebhookClient } from './webhooks/webhook-client.ts';
import type { Watch } from './verbs/watch.ts';

export interface LogicalClusterOptions {
  readonly name: string;
  readonly secureServer: SecureServer;
  /** Signs tokens of service accounts. */
  readonly signingKey: SigningKey;
  /** 0: the port that the cluster had before, or a free one. */
  readonly port: number;
  /** Number of events of each resource that a watch can resume from. */
  readonly historyLimit: number;
  /** In milliseconds. */
  readonly bookmarkInterval: number;
  readonly featureGates: FeatureGates;
  /** Addresses of Services that webhooks name. Default: none, so that such webhooks cannot be called. */
  readonly services?: ServiceAddresses | undefined;
  /**
   * Whether the controllers run that kube-apiserver does not have: garbage collection, deletion of namespaces, and
   * aggregation of roles.
   */
  readonly controllers: boolean;
  /** File in which the cluster survives the process. Default: the cluster is kept in memory. */
  readonly journalPath: string | undefined;
  /** Settings of a cluster that has a process to itself. Default: it shares the authority of its process. */
  readonly standalone?: StandaloneOptions | undefined;
}

/** Settings of a cluster that its process serves without a connection, see {@link LogicalCluster.inProcess}. */
export interface InProcessOptions {
  readonly historyLimit: number;
  readonly bookmarkInterval: number;
  readonly signingKey: SigningKey;
  /** The kinds that the cluster serves besides those of CustomResourceDefinitions. */
  readonly types: readonly ResourceType[];
}

/** Settings that flags of kube-apiserver have. */
export interface StandaloneOptions {
  /** IP address to listen on. */
  readonly host: string;
  readonly authorization: AuthorizationMode;
  /** Tokens that are valid besides those that the cluster issues. */
  readonly tokens: readonly Token[];
}

/** State of {@link LogicalCluster.throttle}. */
export interface Throttle {
  /** Number of requests to refuse. */
  readonly requests: number;
  readonly retryAfterSeconds: number;
}

/** Returns the prefix of paths that get a Status: those of a built-in group, and of a version of a custom one. */
function pathOf({ group, version, builtIn }: ResourceType): string {
  if (group === '') return '/api/';
  return builtIn ? `/apis/${group}/` : `/apis/${group}/${version}/`;
}

/** The collection of Bindings, which are never stored. */
const BINDINGS = /^\/api\/v1\/namespaces\/(?<namespace>[^/]+)\/bindings\/?$/u;

/** Paths that anonymous users may read, as the role `system:public-info-viewer` allows. */
const PUBLIC = /^\/(?:version|healthz|livez|readyz)\/?$/;

/** One API server from the point of view of its clients: an address, tokens and objects. */
export class LogicalCluster {
  readonly store: ClusterStore;
  readonly registry: ResourceRegistry;
  readonly absentReferences: 'refused' | 'accepted';
  readonly bookmarkInterval: number;
  readonly featureGates: FeatureGates;
  readonly watches = new Set<Watch>();
  readonly access: Access;
  readonly webhooks: WebhookClient;
  readonly #admission: Admission;
  readonly #tasks = new BackgroundTasks();
  readonly #journal: Journal | undefined;
  /** Absent if the cluster is served in its process only. */
  readonly #listener: Listener | undefined;
  #throttle: Throttle = { requests: 0, retryAfterSeconds: 0 };

  private constructor(options: LogicalClusterOptions | InProcessOptions) {
    const served = 'secureServer' in options ? options : undefined;
    const local = 'types' in options ? options : undefined;
    this.registry = new ResourceRegistry(local?.types ?? builtInTypes);
    this.absentReferences = local ? 'accepted' : 'refused';
    this.bookmarkInterval = options.bookmarkInterval;
    this.featureGates = served?.featureGates ?? {};
    this.store = new ClusterStore(options.historyLimit);
    const services = this.store.resource('services');
    this.webhooks = new WebhookClient(
      (namespace, service) => services.get(objectKey(namespace, service)) !== undefined,
      addressesByHost(served?.services),
    );
    const { standalone, journalPath } = served ?? {};
    this.access = new Access(this.store, {
      cluster: standalone ? undefined : served?.name,
      signingKey: options.signingKey,
      mode: standalone?.authorization,
      aggregatesRoles: served?.controllers,
    });
    this.#admission = new Admission(this);
    this.#journal = journalPath === undefined ? undefined : new Journal(journalPath);
    const formerPort = this.#replay();
    if (formerPort !== undefined) this.store.fillWatchCaches();
    this.store.persistWith((event) => this.#journal?.appendWrite(event));
    for (const token of standalone?.tokens ?? []) this.access.tokens.add(token);
    if (!served) return;
    const address = { host: standalone?.host, port: served.port === 0 ? (formerPort ?? 0) : served.port };
    this.#listener = new Listener(served.secureServer, address, (request, response) => this.serve(request, response));
  }

  /** Starts serving. @throws {Error} if the port is in use. */
  static async open(options: LogicalClusterOptions): Promise<LogicalCluster> {
    const cluster = new LogicalCluster(options);
    try {
      await cluster.#listener?.open();
    } catch (error) {
      cluster.#journal?.close();
      throw error;
    }
    cluster.#journal?.append({ op: 'listen', port: cluster.port });
    cluster.#startControllers(options.controllers);
    cluster.#ensureBootstrapObjects();
    return cluster;
  }

  /**
   * Creates a cluster without a port, for {@link serve}. It starts empty, without the objects of a new cluster, and
   * accepts objects in namespaces that do not exist, like a kube-apiserver without the plugin NamespaceLifecycle. The
   * garbage collector deletes the dependents of deleted owners, and keeps objects whose owners never existed.
   */
  static inProcess(options: InProcessOptions): LogicalCluster {
    const cluster = new LogicalCluster(options);
    cluster.#startControllers(true);
    return cluster;
  }

  /** Serves one request. Failures are sent to the client. */
  serve(request: RequestMessage, response: ResponseMessage): void {
    const exchange = new Exchange(request, response);
    this.#serve(exchange)
      .catch((error: unknown) => {
        exchange.sendError(error instanceof StatusError ? error : internalError(error));
      })
      // A response that cannot be sent ends only its request.
      .catch(() => response.destroy());
  }

  /** @param all whether also those start that belong to kube-controller-manager. */
  #startControllers(all: boolean): void {
    startDefinitionController(this, this.#tasks);
    startRegistrationController(this, this.#tasks);
    if (!all) return;
    startNamespaceController(this, this.#tasks);
    startGarbageCollector(this, this.#tasks);
  }

  /** 0 if the cluster is served in its process only. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** The oldest valid token. */
  get firstToken(): string {
    return this.access.tokens.first ?? this.issueToken(ADMIN);
  }

  issueToken(user: User): string {
    const token = this.access.tokens.issue(user);
    this.#journal?.append({ op: 'issue', ...token });
    return token.token;
  }

  /** Refuses the next requests with 429. */
  throttle(throttle: Throttle): void {
    this.#throttle = throttle;
  }

  revokeToken(token: string): void {
    this.access.tokens.revoke(token);
    this.#journal?.append({ op: 'revoke', token });
  }

  /** Creates an object of any served kind. @throws {StatusError} */
  create(object: unknown): void {
    const { type, namespace } = this.#placeOf(object);
    create(this, { type, namespace, body: object, dryRun: false, manager: 'kube-apiserver' });
  }

  /** Creates an object unless it exists from an earlier run. @throws {StatusError} */
  ensure(object: unknown): void {
    try {
      this.create(object);
    } catch (error) {
      if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
    }
  }

  /** Discards the history: earlier watches and pages get 410. */
  compact(): void {
    this.store.compact();
    this.#journal?.append({ op: 'compact' });
  }

  /** Ends the watches of one resource, or of all, as at their timeout. */
  endWatches(storage?: string): void {
    for (const watch of [...this.watches]) if (storage === undefined || watch.storage === storage) watch.end();
  }

  /** Resets every connection. */
  cutConnections(): void {
    this.#listener?.cutConnections();
  }

  /** Stops listening and resets every connection, until {@link resume}. */
  async suspend(): Promise<void> {
    await this.#listener?.suspend();
  }

  async resume(): Promise<void> {
    await this.#listener?.open();
  }

  async close(): Promise<void> {
    this.endWatches();
    this.#tasks.stop();
    this.webhooks.close();
    await this.#listener?.close();
    this.#journal?.close();
    await this.#journal?.compacted();
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { method, path, query } = exchange;
    await exchange.loadCodecs();
    const timeout = query.get('timeout');
    const lateness = timeout && timeoutFault(requestInfo(method, path, query), timeout);
    if (lateness) throw badRequest(lateness);
    if (PUBLIC.test(path) && exchange.header('authorization') === undefined && serveDocument(this, exchange)) return;
    const user = this.access.identify(exchange);
    if (this.#throttle.requests > 0) {
      this.#refuseForNow(exchange);
      return;
    }
    const request = requestInfo(method, path, query);
    const { authorizer } = this.access;
    authorizer.authorize(user, request);
    if (!('path' in request)) {
      exchange.authorizeCreation = () => authorizer.authorize(user, { ...request, verb: 'create' });
      exchange.mayApprove = (signer) => mayApprove(authorizer, user, signer);
    }
    if (serveDocument(this, exchange)) return;
    const fault = watchPathFault(path);
    if (fault !== undefined) {
      exchange.sendText(500, fault);
      return;
    }
    const watch = findWatchPath(this.registry, path);
    if (watch) return serveWatchPath(this, watch, exchange);
    const route = findRoute(this.registry, path);
    if (!route) {
      if (await serveComponentStatuses(exchange)) return;
      const namespace = BINDINGS.exec(path)?.groups?.['namespace'];
      const pods = this.registry.storedType('pods');
      if (namespace !== undefined && pods) {
        exchange.admission = this.#admission.forRequest(user, exchange);
        return serveBindings(this, { type: pods, namespace }, exchange);
      }
      const object = customObjectOf(this.registry, path);
      if (object) {
        if (object.type.deprecation !== undefined) exchange.warn(object.type.deprecation);
        throw notFound(object.type, object.name);
      }
      if (this.registry.all().some((type) => path.startsWith(pathOf(type)))) throw noSuchResource();
      if (isUnavailable(aggregatedApis(this.store, this.registry), path)) {
        exchange.sendText(503, 'service unavailable\n');
        return;
      }
      // The handler of these documents writes no body.
      if (/^\/openapi\/v3\/./u.test(path)) exchange.stream(404).end();
      else exchange.sendText(404, '404 page not found\n');
      return;
    }
    requireNamespace(route, exchange.method);
    exchange.admission = this.#admission.forRequest(user, exchange);
    return route.at === 'collection'
      ? serveCollection(this, route, exchange, { access: this.access, user })
      : serveObject(this, route, exchange);
  }

  /** Refuses a request as priority and fairness does: with plain text, not a Status. */
  #refuseForNow(exchange: Exchange): void {
    const { requests, retryAfterSeconds } = this.#throttle;
    this.#throttle = { requests: requests - 1, retryAfterSeconds };
    const text = 'Too many requests, please try again later.\n';
    exchange.sendText(429, text, { 'retry-after': String(retryAfterSeconds) });
  }

  #placeOf(object: unknown): { readonly type: ResourceType; readonly namespace: string } {
    const { apiVersion, kind, metadata } = object as {
      apiVersion?: string;
      kind?: string;
      metadata?: { namespace?: string };
    };
    const type = this.registry
      .all()
      .find((candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion);
    if (!type) throw badRequest(`no matches for kind "${kind ?? ''}" in version "${apiVersion ?? ''}"`);
    return { type, namespace: type.scope === 'Namespaced' ? (metadata?.namespace ?? 'default') : '' };
  }

  #ensureBootstrapObjects(): void {
    if (this.store.resource('namespaces').size > 0) repairAddresses(this);
    else createBootstrapObjects(this.store, (object) => this.create(object), this.#journal !== undefined);
  }

  /** Restores the content of the journal. Returns the port that the cluster had. */
  #replay(): number | undefined {
    let port: number | undefined;
    this.#journal?.replay((entry) => {
      switch (entry.op) {
        case 'listen':
          port = entry.port;
          break;
        case 'issue': {
          const { op: _, ...token } = entry;
          this.access.tokens.add(token);
          break;
        }
        case 'revoke':
          this.access.tokens.revoke(entry.token);
          break;
        case 'compact':
          this.store.compact();
          break;
        case 'version':
          this.store.restoreVersion(entry.version);
          break;
        case 'write': {
          const { type, resource } = entry;
          const object = storeObject(resource, entry.object, entry.fields);
          const previous = this.store.resource(resource).get(objectKey(object.namespace, object.name));
          this.store.restore({ type, object, previous });
          break;
        }
      }
    });
    this.#journal?.compactTo(() => ({ version: this.store.version, objects: this.store.objects() }));
    return port;
  }
}
