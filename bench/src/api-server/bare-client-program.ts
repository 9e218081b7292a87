import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect } from 'node:http2';
import type { ClusterConfig } from '@mcr/core';
import { serveCommands } from '../program.ts';
import { percentile } from '../scenario.ts';
import { FrameCounter } from './frame-counter.ts';

/** A request, with its body as JSON. */
export interface BareRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly accept?: string;
}

/** Response times of a probe, in milliseconds. */
export interface Waits {
  readonly max: number;
  readonly p99: number;
  readonly requests: number;
}

/** Number of watches of one connection. */
const WATCHES_PER_SESSION = 25;

/** Flow-control window of a stream, in bytes. */
const WINDOW = 4 * 1024 * 1024;

/** The present probe. */
let probe = { ends: false, times: Promise.resolve<number[]>([]) };
const counters: FrameCounter[] = [];

/** Commands of a process that talks to API servers without a client library, so that only the server's work counts. */
const commands = {
  /** Sends a request and drops the answer. @returns the size of the answer in bytes, and its time in milliseconds. */
  async request(
    config: ClusterConfig,
    request: BareRequest,
  ): Promise<{ readonly bytes: number; readonly time: number }> {
    const session = open(config);
    await once(session, 'connect');
    const started = performance.now();
    const bytes = await answer(send(session, config, request));
    const time = performance.now() - started;
    session.close();
    return { bytes, time };
  },

  /** Sends requests one after the other, until {@link endProbe}. */
  async probe(config: ClusterConfig, request: BareRequest): Promise<void> {
    const session = open(config);
    await once(session, 'connect');
    const present = { ends: false, times: Promise.resolve<number[]>([]) };
    present.times = (async () => {
      const times: number[] = [];
      while (!present.ends) {
        const started = performance.now();
        await answer(send(session, config, request));
        times.push(performance.now() - started);
      }
      session.close();
      return times;
    })();
    probe = present;
  },

  async endProbe(): Promise<Waits> {
    probe.ends = true;
    const times = await probe.times;
    return { max: percentile(times, 1), p99: percentile(times, 0.99), requests: times.length };
  },

  /** Opens watches that count their events. */
  async watch(config: ClusterConfig, request: BareRequest, count: number): Promise<void> {
    let session = open(config);
    for (let index = 0; index < count; index++) {
      if (index % WATCHES_PER_SESSION === 0) session = open(config);
      const stream = send(session, config, request);
      const counter = new FrameCounter(request.accept?.includes('protobuf') ? 'length' : 'line');
      counters.push(counter);
      stream.on('data', (chunk: Buffer) => counter.add(chunk));
      await once(stream, 'response');
    }
  },

  /** Resolves when the watches have received `count` events in total. @returns the time of the clock of all processes. */
  async received(count: number): Promise<number> {
    while (counters.reduce((sum, counter) => sum + counter.frames, 0) < count) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return performance.timeOrigin + performance.now();
  },

  /** Sends the same change with different values, some at a time. @returns when it began, by the clock of all processes. */
  async change(config: ClusterConfig, path: string, count: number, concurrency: number): Promise<number> {
    const session = open(config);
    await once(session, 'connect');
    const began = performance.timeOrigin + performance.now();
    let next = 0;
    const work = async () => {
      for (let value = next++; value < count; value = next++) {
        const body = { metadata: { annotations: { value: String(value) } } };
        await answer(send(session, config, { method: 'PATCH', path: `${path}-${value % concurrency}`, body }));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    session.close();
    return began;
  },
};

/** Commands of a client without a library. */
export type BareClientCommands = typeof commands;

function open({ server, tls }: ClusterConfig): ClientHttp2Session {
  const session = connect(server, { ca: tls?.caData, settings: { initialWindowSize: WINDOW } });
  // Like Go's client: the window of a connection is larger than that of a stream.
  session.once('connect', () => session.setLocalWindowSize(4 * WINDOW));
  return session;
}

function send(session: ClientHttp2Session, { auth }: ClusterConfig, request: BareRequest): ClientHttp2Stream {
  const { method = 'GET', path, body, accept = 'application/json' } = request;
  const stream = session.request({
    ':method': method,
    ':path': path,
    accept,
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    ...(auth?.type === 'token' && { authorization: `Bearer ${auth.token}` }),
  });
  stream.end(body === undefined ? undefined : JSON.stringify(body));
  return stream;
}

/** @returns the size of the answer in bytes. @throws {Error} if it is an error. */
async function answer(stream: ClientHttp2Stream): Promise<number> {
  let bytes = 0;
  let status = 0;
  stream.on('response', (headers) => (status = headers[':status'] ?? 0));
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await once(stream, 'end');
  if (status >= 400) throw new Error(`the server answered ${status}`);
  return bytes;
}

serveCommands(commands);
