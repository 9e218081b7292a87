import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Identity } from '../tls/identity.ts';
import { createIdentity, type IdentityOptions } from '../tls/authority.ts';

/** The review that a webhook gets. The types are not checked at run time: the tests check the values. */
export interface SentReview {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly name: string;
    readonly subResource: string;
    readonly kind: { readonly version: string; readonly kind: string };
    readonly object: WebhookObject;
    readonly oldObject: WebhookObject;
    readonly objects: readonly WebhookObject[];
    readonly desiredAPIVersion: string;
    readonly dryRun: boolean;
  };
}

export interface WebhookObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * In milliseconds. The server never closes an idle connection during a test: on a busy machine, the client could send a call
 * on it at the same moment, which fails.
 */
const KEEP_ALIVE = 600_000;

/** Returns the body of the response; `undefined` never responds. */
export type Answer = (review: SentReview, response: ServerResponse) => unknown;

/** An HTTPS server with one webhook on each path. */
export class WebhookServer implements AsyncDisposable {
  /** Authority that signed the certificate, in PEM, in base64. */
  readonly caBundle: string;
  /** The certificate itself, in the same form. */
  readonly servingBundle: string;
  readonly answers = new Map<string, Answer>();
  /** Reviews that the webhooks got, by path. */
  readonly reviews = new Map<string, SentReview[]>();
  /** Connections that were opened. */
  connections = 0;
  readonly #server: Server;
  readonly #open = new Set<TLSSocket>();
  readonly #closed = new EventEmitter();

  private constructor({ caCertificate, certificate, key }: Identity) {
    this.caBundle = Buffer.from(caCertificate).toString('base64');
    this.servingBundle = Buffer.from(certificate).toString('base64');
    const options = { cert: certificate, key, keepAliveTimeout: KEEP_ALIVE };
    this.#server = createServer(options, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('secureConnection', (socket) => {
      this.connections += 1;
      this.#open.add(socket);
      socket.on('close', () => {
        this.#open.delete(socket);
        this.#closed.emit('close');
      });
    });
  }

  /** @param options.hosts further names of the certificate. */
  static async start(options: IdentityOptions = {}): Promise<WebhookServer> {
    const server = new WebhookServer(await createIdentity(options));
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Serves a webhook and returns its client configuration. */
  serve(path: string, answer: Answer): { readonly url: string; readonly caBundle: string } {
    this.answers.set(path, answer);
    return { url: this.urlOf(path), caBundle: this.caBundle };
  }

  urlOf(path: string): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Returns the number of open connections. */
  openConnections(): number {
    return this.#open.size;
  }

  /** Resolves once at most `count` connections are open. */
  async untilConnections(count: number): Promise<void> {
    while (this.#open.size > count) await once(this.#closed, 'close');
  }

  /** Returns the reviews that the webhook of a path got, and forgets them. */
  take(path: string): SentReview[] {
    const reviews = this.reviews.get(path) ?? [];
    this.reviews.delete(path);
    return reviews;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [path = ''] = (request.url ?? '').split('?');
    const review = JSON.parse(Buffer.concat(chunks).toString()) as SentReview;
    this.reviews.set(path, [...(this.reviews.get(path) ?? []), review]);
    const body = await this.answers.get(path)?.(review, response);
    if (body === undefined || response.writableEnded) return;
    response.setHeader('content-type', 'application/json');
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}

/** Returns an AdmissionReview that answers `review`. */
export function admissionReview({ apiVersion, kind, request }: SentReview, response: object): object {
  return { apiVersion, kind, response: { uid: request.uid, ...response } };
}

export const allow: Answer = (review) => admissionReview(review, { allowed: true });

export function deny(message: string): Answer {
  return (review) => admissionReview(review, { allowed: false, status: { message } });
}

/** Returns a webhook that changes objects with a JSON patch. */
export function patchWith(...patch: readonly object[]): Answer {
  return (review) =>
    admissionReview(review, {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    });
}

/** Returns a conversion webhook that changes each object with `convert`. */
export function convertWith(convert: (object: WebhookObject, apiVersion: string) => unknown): Answer {
  return ({ apiVersion, kind, request: { uid, objects, desiredAPIVersion } }) => ({
    apiVersion,
    kind,
    response: {
      uid,
      result: { status: 'Success' },
      convertedObjects: objects.map((object) =>
        convert({ ...object, apiVersion: desiredAPIVersion }, desiredAPIVersion),
      ),
    },
  });
}
