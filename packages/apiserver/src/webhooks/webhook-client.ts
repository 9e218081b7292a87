import { Agent, request } from 'node:https';
import type { WebhookClientConfig, WebhookService } from './client-config.ts';
import { urlOf } from './client-config.ts';
import { goTransportError } from './go-transport-error.ts';
import type { ServiceAddress } from './service-addresses.ts';
import { readResponse, responseError } from './webhook-response.ts';

/** Largest response in bytes. */
const RESPONSE_LIMIT = 16 * 1024 * 1024;

/** Start of the messages of Go about a request. */
const POST = 'Post';

/** Authorities whose connections are kept. */
const AGENT_LIMIT = 32;

/** Connections to the webhooks of one authority. */
const CONNECTION_LIMIT = 64;

/** A call of a webhook that failed. The message is that of kube-apiserver. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

export interface WebhookCall {
  readonly config: WebhookClientConfig;
  readonly body: object;
  /** In milliseconds. */
  readonly timeout: number;
  /** Timeout that the webhook is told, in seconds. Default: none. */
  readonly announcedTimeout?: number;
  /** Kind of the response, for example `AdmissionReview`. */
  readonly kind: string;
}

/** Redirects that are followed, as by Go's HTTP client. */
const REDIRECT_LIMIT = 10;

/** Codes of redirects, and whether the request is sent again with its method and body. */
const REDIRECTS: ReadonlyMap<number, boolean> = new Map([
  [301, false],
  [302, false],
  [303, false],
  [307, true],
  [308, true],
]);

interface Message {
  readonly url: URL;
  /** Absent: a GET. */
  readonly body: string | undefined;
}

interface WebhookResponse {
  readonly code: number;
  readonly location: string | undefined;
  readonly text: string;
  readonly contentType: string;
}

/** Calls the webhooks of a cluster over TLS, and keeps its connections. */
export class WebhookClient {
  readonly #agents = new Map<string, Agent>();
  readonly #closing = new AbortController();
  readonly #hasService: (namespace: string, name: string) => boolean;
  readonly #addresses: ReadonlyMap<string, ServiceAddress>;

  /**
   * @param hasService reports whether a Service exists.
   * @param addresses addresses of Services by their hosts.
   */
  constructor(
    hasService: (namespace: string, name: string) => boolean,
    addresses: ReadonlyMap<string, ServiceAddress> = new Map(),
  ) {
    this.#hasService = hasService;
    this.#addresses = addresses;
  }

  /** Sends a review and returns the response. @throws {WebhookCallError} */
  async call({ config, body, timeout, announcedTimeout, kind }: WebhookCall): Promise<object> {
    const href = `${urlOf(config)}${announcedTimeout === undefined ? '' : `?timeout=${announcedTimeout}s`}`;
    const url = new URL(href);
    if (config.service && !this.#addresses.has(url.hostname)) {
      throw new WebhookCallError(this.#unreachable(href, config.service));
    }
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
    const message = { url, body: JSON.stringify(body) };
    const { code, text, contentType } = await this.#follow(message, config.caBundle, signal);
    if (code !== 200 && code !== 201) throw new WebhookCallError(responseError(code, text, contentType));
    const response = await readResponse(text, kind);
    if (typeof response === 'string') throw new WebhookCallError(response);
    return response;
  }

  /** Ends all calls and connections. */
  close(): void {
    this.#closing.abort();
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #unreachable(href: string, { namespace = '', name = '' }: WebhookService): string {
    const why = this.#hasService(namespace, name)
      ? `service ${JSON.stringify(name)} has no network behind this API server: set clientConfig.url, or its address in the option "services"`
      : `service ${JSON.stringify(name)} not found`;
    return `${POST} ${JSON.stringify(href)}: ${why}`;
  }

  /** Sends a request, and follows redirects. @throws {WebhookCallError} */
  async #follow(first: Message, caBundle: string | undefined, signal: AbortSignal): Promise<WebhookResponse> {
    let message = first;
    for (let count = 1; ; count++) {
      const response = await this.#send(message, caBundle, signal);
      const { code, location } = response;
      const isRepeated = REDIRECTS.get(code);
      if (isRepeated === undefined || location === undefined || !URL.canParse(location, message.url.href))
        return response;
      message = { url: new URL(location, message.url), body: isRepeated ? message.body : undefined };
      const fail = (to: string, why: string): never => {
        throw new WebhookCallError(`${titleOf(message)} ${JSON.stringify(to)}: ${why}`);
      };
      if (count >= REDIRECT_LIMIT) fail(location, `stopped after ${REDIRECT_LIMIT} redirects`);
      if (message.url.protocol !== 'https:') {
        fail(message.url.href, 'a webhook is called over TLS only: redirect to a URL with https');
      }
    }
  }

  #send(message: Message, caBundle: string | undefined, signal: AbortSignal): Promise<WebhookResponse> {
    const { url, body } = message;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        const reason = signal.aborted ? 'context deadline exceeded' : goTransportError(error, url);
        reject(new WebhookCallError(`${titleOf(message)} ${JSON.stringify(url.href)}: ${reason}`));
      };
      const method = body === undefined ? 'GET' : 'POST';
      const headers = {
        accept: 'application/json, */*',
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        'user-agent': 'kube-apiserver-admission',
      };
      // The certificate is that of the Service, and so is the header `Host`.
      const address = this.#addresses.get(url.hostname);
      const place = address && {
        hostname: address.host,
        port: address.port,
        servername: url.hostname,
        headers: { ...headers, host: url.host },
      };
      const options = { method, agent: this.#agent(caBundle), headers, signal, ...place };
      const outgoing = request(url, options, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > RESPONSE_LIMIT) {
            response.destroy(new Error(`the response exceeds ${RESPONSE_LIMIT} bytes`));
          }
        });
        response.on('end', () => {
          const { statusCode: code = 0, headers: head } = response;
          const contentType = head['content-type'] ?? '';
          resolve({ code, location: head.location, text: Buffer.concat(chunks).toString(), contentType });
        });
        response.on('error', fail);
      });
      outgoing.on('error', fail);
      outgoing.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy();
        reject(new WebhookCallError(`0-length response with status code: ${statusCode} and content type: `));
      });
      outgoing.end(body);
    });
  }

  #agent(caBundle = ''): Agent {
    const known = this.#agents.get(caBundle);
    this.#agents.delete(caBundle);
    const ca = caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64') };
    // Like Go, trusts a serving certificate that is the bundle itself. Upstream's envtest sets bundles like that.
    const trust = { ...ca, allowPartialTrustChain: true };
    const agent = known ?? new Agent({ ...trust, keepAlive: true, maxSockets: CONNECTION_LIMIT });
    // The map is in the order of use.
    this.#agents.set(caBundle, agent);
    if (this.#agents.size > AGENT_LIMIT) {
      const [oldest] = this.#agents;
      if (oldest) {
        this.#agents.delete(oldest[0]);
        oldest[1].destroy();
      }
    }
    return agent;
  }
}

/** Returns the start of Go's messages about a request. */
function titleOf({ body }: Message): string {
  return body === undefined ? 'Get' : POST;
}
