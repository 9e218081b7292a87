import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Clock, ClusterConfig, LogFields, Logger, Manager, Provider } from '@mcr/core';
import { createManager, createNopProvider, silentLogger } from '@mcr/core';
import { createServingIdentity } from '@mcr/envtest';
import type { WebhookServerOptions } from './webhook-server-options.ts';
import type { WebhookServer } from './webhook-server.ts';
import { createWebhookServer } from './webhook-server.ts';

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly response?: AnsweredReview };
}

export interface AnsweredReview {
  readonly uid: string;
  readonly allowed?: boolean;
  readonly status?: object;
  readonly patch?: string;
  readonly convertedObjects?: readonly object[];
  readonly warnings?: readonly string[];
}

export interface Call {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly agent?: Agent;
}

export interface RunningWebhooksOptions extends Partial<WebhookServerOptions> {
  readonly clock?: Clock;
  readonly config?: ClusterConfig;
  readonly provider?: Provider;
  readonly setUp?: (webhooks: WebhookServer, manager: Manager) => void | Promise<void>;
}

/** A manager on the loopback interface with a webhook server. */
export class RunningWebhooks implements AsyncDisposable {
  readonly lines: Line[] = [];
  readonly certDir: string;
  readonly end = new AbortController();
  caCertificate = '';
  manager!: Manager;
  webhooks!: WebhookServer;
  /** For example `https://127.0.0.1:40001`. */
  url = '';
  /** Rejects if the manager fails. */
  stopped: Promise<void> = Promise.resolve();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 });

  private constructor(certDir: string) {
    this.certDir = certDir;
  }

  static async start({ clock, config, provider, setUp, ...options }: RunningWebhooksOptions): Promise<RunningWebhooks> {
    const running = new RunningWebhooks(await mkdtemp(join(tmpdir(), 'mcr-webhook-')));
    await running.renew();
    running.manager = await createManager({
      ...(config
        ? { config, ...(provider && { provider }) }
        : { config: 'none', provider: provider ?? createNopProvider() }),
      logger: running.#logger(),
      ...(clock && { clock }),
      metrics: { bindAddress: '127.0.0.1:0' },
    });
    running.webhooks = await createWebhookServer(running.manager, {
      certificate: { certDir: running.certDir },
      bindAddress: '127.0.0.1:0',
      drainDelay: 0,
      ...options,
    });
    await setUp?.(running.webhooks, running.manager);
    running.stopped = running.manager.start(running.end.signal);
    const { host, port } = await Promise.race([
      running.webhooks.listening,
      running.stopped.then(() => Promise.reject(new Error('the manager has stopped'))),
    ]);
    running.url = `https://${host}:${port}`;
    return running;
  }

  get caBundle(): string {
    return Buffer.from(this.caCertificate).toString('base64');
  }

  /** Writes another certificate to the directory. */
  async renew(): Promise<void> {
    const { caCertificate, certificate, key } = await createServingIdentity();
    await writeFile(join(this.certDir, 'ca.crt'), caCertificate);
    await writeFile(join(this.certDir, 'tls.key'), key);
    await writeFile(join(this.certDir, 'tls.crt'), certificate);
    this.caCertificate = caCertificate;
  }

  /** Sends a request over HTTP/1.1. A string is sent unchanged. */
  async post(path: string, body: unknown, { method = 'POST', headers = {}, agent }: Call = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const outgoing = request(`${this.url}${path}`, {
      method,
      agent: agent ?? this.#agent,
      ca: this.caCertificate,
      headers: { 'content-type': 'application/json', ...headers },
    });
    outgoing.end(method === 'GET' ? undefined : text);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const received = (await buffer(response)).toString();
    const isJson = response.headers['content-type'] === 'application/json';
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: received,
      body: isJson ? (JSON.parse(received) as Answer['body']) : {},
    };
  }

  /** Returns the lines with a message. */
  logged(message: string): Line[] {
    return this.lines.filter((line) => line.message === message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end.abort();
    this.#agent.destroy();
    await this.stopped;
    await rm(this.certDir, { recursive: true });
  }

  #logger(): Logger {
    const at =
      (level: string, own: LogFields): Logger['info'] =>
      (message, fields) =>
        void this.lines.push({ level, message, fields: { ...own, ...fields } });
    const child = (own: LogFields): Logger => ({
      ...silentLogger,
      info: at('info', own),
      warn: at('warn', own),
      error: at('error', own),
      child: (fields) => child({ ...own, ...fields }),
    });
    return child({});
  }
}

/** Returns an AdmissionReview as kube-apiserver sends it. */
export function review(request: object): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: { group: 'shop.example.com', version: 'v1', kind: 'Cart' },
      resource: { group: 'shop.example.com', version: 'v1', resource: 'carts' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'alice' },
      object: null,
      oldObject: null,
      dryRun: false,
      options: null,
      ...request,
    },
  };
}
