import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ClusterConfig } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';

type Json = Record<string, unknown>;

export interface LyingRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Handlers of requests to a lying member. Default: it is honest. */
export interface Lies {
  /** Answers in place of the API server. */
  answer?: (request: LyingRequest) => { readonly status?: number; readonly body: unknown } | undefined;
  /** Changes the body of a successful answer. */
  edit?: (request: LyingRequest, body: Json) => unknown;
  /** Returns the events of a watch that are sent in place of one of the API server. */
  event?: (request: LyingRequest, event: Json) => readonly unknown[];
}

/** An API server that lies to its clients, in front of the one of a control plane. */
export class LyingMember implements AsyncDisposable {
  lies: Lies = {};
  readonly requests: LyingRequest[] = [];
  readonly #watches = new Map<ServerResponse, string>();
  readonly #upstream: ClusterConfig;
  readonly #server = createServer((request, response) => {
    this.#relay(request, response).catch(() => response.destroy());
  });

  constructor({ config }: Pick<ControlPlane, 'config'>) {
    this.#upstream = config;
  }

  async listen(): Promise<ClusterConfig> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return { server: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` };
  }

  /** Sends an event to the open watches whose URL contains a text. Returns their number. */
  push(part: string, event: unknown): number {
    const open = [...this.#watches].filter(([, url]) => url.includes(part));
    for (const [watch] of open) watch.write(`${JSON.stringify(event)}\n`);
    return open.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #relay(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming;
    const request: LyingRequest = { method, url, body: await text(incoming) };
    this.requests.push(request);
    const own = this.lies.answer?.(request);
    if (own) {
      send(response, own.status ?? 200, own.body);
      return;
    }
    const upstream = await this.#ask(incoming, request);
    const status = upstream.statusCode ?? 500;
    const isWatch = /[?&]watch=(true|1)/.test(url);
    if (!isWatch || status >= 400) {
      const body = await text(upstream);
      if (!/json/.test(upstream.headers['content-type'] ?? '')) {
        send(response, status, body);
        return;
      }
      const value = JSON.parse(body) as Json;
      send(response, status, status < 400 ? (this.lies.edit?.(request, value) ?? value) : value);
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watches.set(response, url);
    response.on('close', () => {
      this.#watches.delete(response);
      upstream.destroy();
    });
    let rest = '';
    for await (const chunk of upstream.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as Json;
        for (const each of this.lies.event?.(request, event) ?? [event]) response.write(`${JSON.stringify(each)}\n`);
      }
    }
    response.end();
  }

  async #ask({ headers }: IncomingMessage, { method, url, body }: LyingRequest): Promise<IncomingMessage> {
    const { server, tls, auth } = this.#upstream;
    const token = auth?.type === 'token' ? auth.token : '';
    const sent = httpsRequest(new URL(url, server), {
      method,
      ca: tls?.caData,
      headers: {
        accept: headers.accept?.replace(/application\/vnd[^,]*protobuf,?/, '') ?? 'application/json',
        ...(headers['content-type'] !== undefined && { 'content-type': headers['content-type'] }),
        ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
        authorization: `Bearer ${token}`,
      },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(sent);
}
