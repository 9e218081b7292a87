import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Http2SecureServer,
  Http2ServerRequest,
  Http2ServerResponse,
  Http2Session,
  ServerHttp2Session,
} from 'node:http2';
import { createSecureServer } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { ClusterConfig } from '@mcr/client';
import type { ServingIdentity } from '../serving-identity.ts';
import type { RequestMatch } from './fault-rule.ts';
import type { ParsedRequestFault } from './fault.ts';
import type { Memory, CompleteAnswer } from './relayed-request.ts';
import { RelayedRequest } from './relayed-request.ts';
import type { Rulebook } from './rulebook.ts';
import type { Upstream } from './upstream.ts';
import { http1Upstream, http2Upstream } from './upstream.ts';

/** In MB, like the limit of the embedded server's listener. */
const MAX_SESSION_MEMORY = 1024;
const MAX_CONCURRENT_STREAMS = 250;

export interface RelayOptions {
  readonly target: ClusterConfig;
  readonly identity: ServingIdentity;
  readonly rules: Rulebook<ParsedRequestFault, RequestMatch>;
  /** Called when the server closes the connection that belongs to the client connection from this port. */
  readonly onLost: (port: number) => void;
}

/** Terminates the client's TLS and forwards each request to the server, with the client's HTTP version. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #server: Http2SecureServer;
  readonly #upstreams = new Map<Http2Session, Upstream>();
  readonly #http1: Upstream;
  readonly #sockets = new Set<Socket>();
  readonly #memory = new Answers();

  private constructor(options: RelayOptions) {
    this.#options = options;
    const { certificate, key } = options.identity;
    this.#http1 = http1Upstream(options.target);
    this.#server = createSecureServer(
      {
        allowHTTP1: true,
        cert: certificate,
        key,
        maxSessionMemory: MAX_SESSION_MEMORY,
        settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
      },
      (request, response) => void this.#relay(request, response),
    );
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('session', (session) => this.#connect(session));
    this.#server.on('sessionError', () => undefined);
    this.#server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  }

  static async start(options: RelayOptions): Promise<Relay> {
    const relay = new Relay(options);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const upstream of this.#upstreams.values()) upstream.close();
    this.#http1.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #connect(session: ServerHttp2Session): void {
    const { remotePort = 0 } = session.socket;
    const upstream = http2Upstream(this.#options.target, {
      onLost: () => {
        this.#options.onLost(remotePort);
        session.destroy();
      },
      onLeaving: () => session.close(),
    });
    this.#upstreams.set(session, upstream);
    session.on('error', () => undefined);
    session.once('close', () => {
      this.#upstreams.delete(session);
      upstream.close();
    });
  }

  async #relay(
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): Promise<void> {
    const { rules } = this.#options;
    const session = 'stream' in request ? request.stream.session : undefined;
    const upstream = session ? this.#upstreams.get(session) : this.#http1;
    const relayed = new RelayedRequest(request, response);
    rules.opened(relayed);
    // A request without a response ends with its stream.
    response.once('close', () => rules.closed(relayed));
    if (upstream) await relayed.run(upstream, this.#memory);
    if (response.writableEnded) rules.closed(relayed);
  }
}

/** Number of responses to keep for each request. */
const REMEMBERED = 16;

class Answers implements Memory {
  readonly #answers = new Map<string, CompleteAnswer[]>();

  recall(path: string, ago: number): CompleteAnswer | undefined {
    const answers = this.#answers.get(path) ?? [];
    return answers[Math.max(answers.length - ago, 0)];
  }

  remember(path: string, answer: CompleteAnswer): void {
    const answers = this.#answers.get(path) ?? [];
    answers.push(answer);
    if (answers.length > REMEMBERED) answers.shift();
    this.#answers.set(path, answers);
  }
}
