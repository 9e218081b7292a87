import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { type Dialer, shortened } from '@mcr/core/provider';
import { type RawData, WebSocket } from 'ws';

/**
 * The protocol of a forwarded port. Each message is binary, and begins with the number of a channel. (Source: kubelet's
 * `pkg/cri/streaming/portforward/websocket.go`. kubectl uses another one: SPDY, tunnelled through a WebSocket.)
 */
const PROTOCOL = 'v4.channel.k8s.io';
/** Channels of the first port. The first message of each is the number of the port, in two bytes. */
const CHANNEL = { data: 0, error: 1 } as const;

/** Maximum size of a message, in bytes. A kubelet sends at most 32 KiB at a time. */
const MAX_MESSAGE = 1024 * 1024;
/** Maximum size of a text that explains a refusal, in bytes. */
const MAX_REFUSAL = 4096;

/** A port of a Pod. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/**
 * Opens a connection to a port of a Pod, by the subresource `portforward` of its API server.
 *
 * @throws {TransportError} if there is no connection to the API server.
 * @throws {Error} if the API server refuses the request; the message says what to do.
 * @throws the reason of `signal` if it aborts first. Later, `signal` has no effect.
 */
export async function openPortForward(dialer: Dialer, target: PodPort, signal: AbortSignal): Promise<Duplex> {
  const connection = await dialer.dial(signal);
  const { socket, host, basePath, headers } = connection;
  const { namespace, pod, port } = target;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`;
  // The scheme only matters for the connection, which is open.
  const webSocket = new WebSocket(`ws://${host}${basePath}${path}?ports=${port}`, PROTOCOL, {
    ...{ headers: headers as Record<string, string | string[]>, maxPayload: MAX_MESSAGE, perMessageDeflate: false },
    createConnection: () => socket as never,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const stream = new ForwardedPort(webSocket);
  const onAbort = (): void => void stream.destroy(signal.reason as Error);
  webSocket.once('open', () => resolve(stream));
  webSocket.once('unexpected-response', (request, response) => {
    if (response.statusCode === 401) connection.rejected();
    void refusalOf(response, target).then((error) => {
      request.destroy();
      stream.destroy(error);
    });
  });
  stream.once('error', reject);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    stream.off('error', reject);
  }
}

/** The bytes of a forwarded port. The protocol cannot close one direction: the Pod ends the connection. */
class ForwardedPort extends Duplex {
  readonly #webSocket: WebSocket;
  readonly #announced = new Set<number>();
  /** The text of the error channel. */
  #problem = '';

  constructor(webSocket: WebSocket) {
    super({ allowHalfOpen: false });
    this.#webSocket = webSocket;
    // The user of the stream has its own listeners, but there may be none while it is passed on.
    this.on('error', () => undefined);
    webSocket.on('message', (data: RawData) => this.#received(data as Buffer));
    webSocket.on('error', (error) => this.destroy(error));
    webSocket.on('close', () => this.#closed());
  }

  override _read(): void {
    this.#webSocket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#webSocket.send(Buffer.concat([Buffer.of(CHANNEL.data), chunk]), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#webSocket.terminate();
    done(error);
  }

  #received(message: Buffer): void {
    const channel = message[0] ?? -1;
    const bytes = message.subarray(1);
    if (!this.#announced.has(channel)) {
      this.#announced.add(channel);
    } else if (channel === CHANNEL.data) {
      if (!this.push(bytes)) this.#webSocket.pause();
    } else if (channel === CHANNEL.error && this.#problem.length < MAX_REFUSAL) {
      this.#problem += bytes.toString('utf8');
    }
  }

  #closed(): void {
    if (this.#problem === '') this.push(null);
    else this.destroy(new Error(`port-forward failed: ${shortened(this.#problem, 500)}`));
  }
}

/** Returns the error for a response that does not upgrade the connection. */
async function refusalOf(response: IncomingMessage, { namespace }: PodPort): Promise<Error> {
  const { statusCode = 0 } = response;
  let text = '';
  response.setEncoding('utf8');
  try {
    for await (const part of response as AsyncIterable<string>) {
      text += part;
      if (text.length > MAX_REFUSAL) break;
    }
  } catch {
    // The text only explains the status.
  }
  const remedies: Readonly<Record<number, string>> = {
    401: 'the credentials of the kubeconfig are refused: renew them',
    403: `the user of the kubeconfig needs the verbs get and create on pods/portforward in namespace ${namespace}`,
  };
  const reason = remedies[statusCode] ?? (messageOf(text) || 'no reason given');
  return new Error(`port-forward refused with status ${statusCode}: ${shortened(reason, 500)}`);
}

/** Returns the message of a Status, or the text itself. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Not an object of the API server.
  }
  return text.trim();
}
