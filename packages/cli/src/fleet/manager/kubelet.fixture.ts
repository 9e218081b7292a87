import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request as sendSecure, type RequestOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createClient, type Draft, Node, Pod } from '@mcr/core';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import { stringify } from 'yaml';
import { type WebSocket, WebSocketServer } from 'ws';

const PORT_FORWARD = /^\/api\/v1\/namespaces\/[^/]+\/pods\/([^/]+)\/portforward\?ports=(\d+)$/;
/** Answer of the embedded API server to a connection that it would forward. */
const NOT_IMPLEMENTED = 501;

/** The node of all Pods. */
export const NODE = 'node';

/** A fault of a kubelet. */
export type KubeletFault =
  | { readonly type: 'error'; readonly text: string }
  | { readonly type: 'cut'; readonly after: number }
  | { readonly type: 'silent' }
  | { readonly type: 'garbage' };

/**
 * An API server with kubelets: the embedded API server, behind a server that forwards ports as a kubelet does. The embedded
 * API server decides whether a port may be forwarded. The protocol is that of `pkg/cri/streaming/portforward/websocket.go`;
 * e2e/src/kubelet-judge.e2e.ts uses that code itself.
 */
export class KubeletFixture implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #server: Server;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  readonly #sockets = new Set<Duplex>();
  /** Ports of this machine, by the name of the Pod. Others are refused. */
  readonly ports = new Map<string, number>();
  /** Faults, by the name of the Pod. */
  readonly faults = new Map<string, KubeletFault>();
  /** Pods to which ports were forwarded. */
  readonly forwarded: string[] = [];

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#server = createServer((request, response) => {
      this.#relay(request, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
    });
    this.#server.on('connection', (socket: Socket) => this.#own(socket));
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#relay(request, (answer) => {
        if (answer.statusCode === NOT_IMPLEMENTED) {
          answer.resume();
          this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#forward(request.url, webSocket));
        } else {
          socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nconnection: close\r\n\r\n`);
          answer.pipe(socket);
        }
      });
    });
  }

  static async start(): Promise<KubeletFixture> {
    const fixture = new KubeletFixture(await createControlPlane());
    await once(fixture.#server.listen(0, '127.0.0.1'), 'listening');
    await using client = createClient(fixture.#plane.config);
    await client.create(Node, { metadata: { name: NODE } });
    const status = { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] };
    await client.status.patch(Node, { name: NODE }, { status }, 'merge');
    return fixture;
  }

  get plane(): ControlPlane {
    return this.#plane;
  }

  /** Returns a kubeconfig for this server. @param token default: that of an administrator. */
  async kubeconfig(token?: string): Promise<string> {
    const { auth } = (await this.#plane.issueToken()).config;
    const own = auth?.type === 'token' ? auth.token : '';
    const server = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'hub' },
      clusters: [{ name: 'hub', cluster: { server } }],
      users: [{ name: 'user', user: { token: token ?? own } }],
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'user' } }],
    });
  }

  /** Creates a Pod whose ports lead to `port` of this machine. */
  async addPod(pod: Draft<Pod>, port: number | undefined, phase = 'Running'): Promise<void> {
    await using client = createClient(this.#plane.config);
    const namespace = pod.metadata.namespace ?? '';
    const { metadata } = await client.create(Pod, pod);
    await client.status.patch(Pod, { namespace, name: metadata.name }, { status: { phase } }, 'merge');
    if (port !== undefined) this.ports.set(metadata.name, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await this.#plane.stop();
  }

  #own(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }

  /** Sends a request to the embedded API server, without an upgrade. */
  #relay(request: IncomingMessage, onAnswer: (answer: IncomingMessage) => void): void {
    const { server, tls } = this.#plane.config;
    const { upgrade: _upgrade, connection: _connection, ...headers } = request.headers;
    const options: RequestOptions = { method: request.method, headers, agent: false };
    const relayed = sendSecure(new URL(request.url ?? '/', server), { ...options, ca: tls?.caData }, onAnswer);
    relayed.on('error', () => request.destroy());
    request.pipe(relayed);
  }

  #forward(url = '', webSocket: WebSocket): void {
    const [, pod = '', port = ''] = PORT_FORWARD.exec(url) ?? [];
    this.forwarded.push(pod);
    const send = (channel: number, bytes: Uint8Array): void =>
      webSocket.send(Buffer.concat([Buffer.of(channel), bytes]));
    const announced = Buffer.alloc(2);
    announced.writeUInt16LE(Number(port));
    const fault = this.faults.get(pod);
    if (fault?.type === 'silent') return;
    if (fault?.type === 'garbage') {
      webSocket.send('x'.repeat(2 * 1024 * 1024));
      return;
    }
    for (const channel of [0, 1]) send(channel, announced);
    if (fault?.type === 'error') {
      send(1, Buffer.from(fault.text));
      webSocket.close();
      return;
    }
    const target = connect(this.ports.get(pod) ?? 1, '127.0.0.1');
    this.#own(target);
    let passed = 0;
    target.on('data', (chunk) => {
      const left = fault?.type === 'cut' ? fault.after - passed : Infinity;
      passed += chunk.length;
      send(0, chunk.subarray(0, left));
      if (passed >= left) webSocket.terminate();
    });
    target.once('error', (error) => {
      send(1, Buffer.from(`error forwarding port ${port} to pod ${pod}, uid : ${error.message}`));
      webSocket.close();
    });
    target.once('end', () => webSocket.close());
    webSocket.on('message', (data) => {
      const message = data as Buffer;
      if (message[0] === 0) target.write(message.subarray(1));
    });
    webSocket.once('close', () => target.destroy());
  }
}
