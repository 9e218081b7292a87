import type { ClusterName, KubernetesObject, Logger, Manager, Runnable, WebhookMetrics } from '@mcr/core';
import { LOCAL_CLUSTER } from '@mcr/core';
import { foundText, parseBindAddress, parseOptions, untilAborted } from '@mcr/core/provider';
import type { WebhookCluster } from '../admission/admission-context.ts';
import { admissionEndpoint } from '../admission/admission-endpoint.ts';
import type { KindWebhook } from '../admission/kind-webhook.ts';
import type { ParsedCertificateOptions } from '../certificates/certificate-options.ts';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import { fileCertificate } from '../certificates/certificate-source.ts';
import { secretPermissions } from '../certificates/managed/certificate-secret.ts';
import { ManagedCertificate } from '../certificates/managed/managed-certificate.ts';
import type { CaBundleConsumer } from '../certificates/ca-bundle-consumer.ts';
import type { Conversion } from '../conversion/conversion.ts';
import { isConversion } from '../conversion/conversion.ts';
import { ConversionEndpoint } from '../conversion/conversion-endpoint.ts';
import type { ConvertibleKind } from '../conversion/convertible-kind.ts';
import { conversionOf, isConvertibleKind } from '../conversion/convertible-kind.ts';
import { ClientCaFile } from './client-ca-file.ts';
import type { Endpoint } from './endpoint.ts';
import type { ListeningAddress } from './listener.ts';
import { Listener } from './listener.ts';
import { RefusalLog } from './refusal-log.ts';
import { RequestLimit } from './request-limit.ts';
import { answerCall } from './webhook-call.ts';
import type { ParsedServerOptions, WebhookServerOptions } from './webhook-server-options.ts';
import { webhookServerOptionsSchema } from './webhook-server-options.ts';

/** Serves the webhooks of a manager. (Upstream: `webhook.Server` of controller-runtime.) */
export interface WebhookServer {
  /**
   * Serves a webhook, a conversion, or the conversion of a kind that `defineKindVersions` of `@mcr/kinds` defined.
   *
   * @throws {TypeError} if the kind has one already, or the server has started.
   */
  register(webhook: KindWebhook<KubernetesObject> | Conversion | ConvertibleKind): void;
  /** The admission webhooks that are registered. */
  readonly webhooks: readonly KindWebhook<KubernetesObject>[];
  /** The conversions that are registered. */
  readonly conversions: readonly Conversion[];
  /**
   * Resolves with the address when the server listens, which it does after `manager.start`. To use the address before the
   * manager stops, wait for both: `Promise.all([manager.start(signal), install()])`.
   *
   * @throws {Error} if the server stops before.
   */
  readonly listening: Promise<ListeningAddress>;
  /** Returns the CA bundle that API servers verify the certificate with, in PEM. `undefined` if they are not known. */
  caBundle(): Promise<string | undefined>;
  /** Adds a component that copies the CA bundle to clusters. `installWebhooks` adds one. */
  distributeCaBundle(consumer: CaBundleConsumer): void;
}

/**
 * Creates a server and adds it to the manager. It starts before the caches of the manager and stops last, on every
 * replica. `/readyz` fails while it does not serve.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 * @throws {TypeError} if the manager has a webhook server already.
 */
export async function createWebhookServer(manager: Manager, options: WebhookServerOptions): Promise<WebhookServer> {
  const parsed = parseOptions(
    'createWebhookServer',
    webhookServerOptionsSchema,
    options,
    "{ certificate: { certDir: '/certs' } }",
  );
  if (serving.has(manager)) {
    throw new TypeError(
      'createWebhookServer: the manager has a webhook server already: register all webhooks with that one',
    );
  }
  const server = new RunnableWebhookServer(manager, parsed);
  serving.add(manager);
  await manager.add(server);
  manager.addReadyzCheck('webhooks', () => server.checkReady());
  return server;
}

/** Managers with a server. */
const serving = new WeakSet<Manager>();

type State = 'new' | 'starting' | 'serving' | 'draining' | 'stopped';

class RunnableWebhookServer implements WebhookServer, Runnable {
  readonly group = 'server';
  readonly #manager: Manager;
  readonly #options: ParsedServerOptions;
  readonly #logger: Logger;
  readonly #metrics: WebhookMetrics | undefined;
  readonly #certificate: CertificateSource;
  readonly #clientCa: ClientCaFile | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #webhooks: KindWebhook<KubernetesObject>[] = [];
  readonly #conversion: ConversionEndpoint;
  readonly #listening = Promise.withResolvers<ListeningAddress>();
  #state: State = 'new';

  constructor(manager: Manager, options: ParsedServerOptions) {
    const { logger } = manager;
    this.#manager = manager;
    this.#options = options;
    this.#logger = logger;
    this.#metrics = manager.metrics?.webhooks();
    this.#certificate = certificateSource(manager, options.certificate);
    const file = options.callerAuth?.clientCaFile;
    this.#clientCa = file === undefined ? undefined : new ClientCaFile({ file, clock: manager.clock, logger });
    this.#conversion = new ConversionEndpoint({ maxBody: options.limits.conversionBytes });
    // The address may have no reader.
    this.#listening.promise.catch(() => undefined);
  }

  get webhooks(): readonly KindWebhook<KubernetesObject>[] {
    return [...this.#webhooks];
  }

  get conversions(): readonly Conversion[] {
    return this.#conversion.conversions;
  }

  get listening(): Promise<ListeningAddress> {
    return this.#listening.promise;
  }

  caBundle(): Promise<string | undefined> {
    return this.#certificate.caBundle();
  }

  distributeCaBundle(consumer: CaBundleConsumer): void {
    this.#certificate.addConsumer(consumer);
  }

  register(webhook: KindWebhook<KubernetesObject> | Conversion | ConvertibleKind): void {
    if (this.#state !== 'new') {
      throw new TypeError(
        'webhooks.register: the server has started, and its webhooks may be installed already: register all webhooks before manager.start',
      );
    }
    if (isConversion(webhook) || isConvertibleKind(webhook)) {
      this.#conversion.add(isConversion(webhook) ? webhook : conversionOf(webhook));
      if (!this.#endpoints.has(this.#conversion.path)) this.#serve(this.#conversion);
      return;
    }
    if (typeof (Object(webhook) as Partial<KindWebhook<KubernetesObject>>).handlers !== 'function') {
      throw new TypeError(
        `webhooks.register: expected a webhook, found ${foundText(webhook)}: pass the result of webhookFor, conversion or defineKindVersions`,
      );
    }
    const handlers = webhook.handlers();
    const { apiVersion, kind } = webhook.kind;
    if (handlers.length === 0) {
      throw new TypeError(
        `webhooks.register: the webhook of ${apiVersion} ${kind} has no handlers: add default, validate or fromSchema`,
      );
    }
    const taken = handlers.find(({ path }) => this.#endpoints.has(path));
    if (taken) {
      throw new TypeError(
        `webhooks.register: ${apiVersion} ${kind} has a webhook at ${taken.path} already: register one webhook for each kind`,
      );
    }
    for (const handler of handlers) this.#serve(admissionEndpoint(handler, this.#options.limits.admissionBytes));
    this.#webhooks.push(webhook);
  }

  #serve(endpoint: Endpoint): void {
    this.#endpoints.set(endpoint.path, endpoint);
    this.#metrics?.registered(endpoint.path);
  }

  /** @throws {Error} while the server does not serve. */
  checkReady(): void {
    if (this.#state !== 'serving') throw new Error(`the webhook server is ${this.#state}`);
  }

  describe(): string {
    return 'the webhook server';
  }

  async run(signal: AbortSignal): Promise<void> {
    const closing = new AbortController();
    this.#state = 'starting';
    try {
      const listener = await this.#listen(signal, closing.signal);
      if (!listener) return;
      await untilAborted(signal);
      this.#state = 'draining';
      this.#logger.info('webhook server is draining');
      await listener.drain({ delay: this.#options.drainDelay, timeout: this.#options.drainTimeout });
    } catch (error) {
      this.#listening.reject(error);
      if (!signal.aborted) throw error;
    } finally {
      this.#certificate.stop();
      this.#clientCa?.stop();
      closing.abort(new DOMException('the webhook server has stopped', 'AbortError'));
      this.#listening.reject(new Error('the webhook server has stopped'));
      this.#state = 'stopped';
    }
  }

  async #listen(signal: AbortSignal, closing: AbortSignal): Promise<Listener | undefined> {
    const address = parseBindAddress(this.#options.bindAddress);
    if (!address || address === 'nowhere') throw new TypeError('option "bindAddress": expected an address');
    const clientCa = await this.#clientCa?.read(signal);
    const context = await this.#readCertificate(signal);
    if (signal.aborted) return undefined;
    const parts = this.#callParts(closing);
    const listener = createListener({
      address,
      context,
      clientCa,
      clock: this.#manager.clock,
      handle: (request, reply) => void answerCall(parts, request, reply),
    });
    const bound = await listener.listen();
    this.#certificate.follow(listener);
    this.#clientCa?.follow(listener);
    this.#state = 'serving';
    this.#logger.info('server listening', { server: 'webhooks', address: `https://${bound.host}:${bound.port}` });
    this.#listening.resolve(bound);
    return listener;
  }

  async #readCertificate(signal: AbortSignal) {
    try {
      return await this.#certificate.read(signal);
    } catch (cause) {
      throw tlsError((cause as Error).message, cause);
    }
  }

  #callParts(closing: AbortSignal) {
    const { limits, callerAuth } = this.#options;
    const { clock } = this.#manager;
    return {
      endpoints: this.#endpoints,
      limit: new RequestLimit({ perWebhook: limits.concurrency, bytes: limits.totalBytes }),
      clock,
      logger: this.#logger,
      refusals: new RefusalLog(clock),
      metrics: this.#metrics,
      callerAuth,
      timeout: limits.timeout,
      closing,
      clusterOf: (name: ClusterName) => this.#clusterOf(name),
    };
  }

  /** Another replica may serve the cluster: then only its name is known. */
  async #clusterOf(name: ClusterName): Promise<WebhookCluster> {
    if (name === LOCAL_CLUSTER && !this.#manager.hasLocalCluster) return { name };
    const cluster = await this.#manager.getCluster(name).catch(() => undefined);
    return cluster ? { name, labels: cluster.info.labels } : { name };
  }
}

/** @throws {TypeError} if the certificate is kept in a Secret, and there is no local cluster. */
function certificateSource(manager: Manager, options: ParsedCertificateOptions): CertificateSource {
  const { clock, logger } = manager;
  if (!('secret' in options)) return fileCertificate(options, { clock, logger });
  if (!manager.hasLocalCluster) {
    throw new TypeError(
      'createWebhookServer: option "certificate.secret": the manager has no local cluster for the Secret: set config in createManager, or use files',
    );
  }
  manager.permissions.require('createWebhookServer: option certificate.secret', secretPermissions(options.secret));
  const { client, apiReader: reader } = manager.localManager.cluster;
  return new ManagedCertificate({ options, client, reader, clock, logger });
}

function createListener(options: ConstructorParameters<typeof Listener>[0]): Listener {
  try {
    return new Listener(options);
  } catch (cause) {
    throw tlsError(`expected a certificate and its key, in PEM: ${(cause as Error).message}`, cause);
  }
}

function tlsError(why: string, cause: unknown): Error {
  return new Error(`webhooks cannot be served over TLS: ${why}`, { cause });
}
