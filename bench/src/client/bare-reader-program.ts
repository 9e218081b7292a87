import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { once } from 'node:events';
import type { ClusterConfig } from '@mcr/core';
import { processorTime } from '../processor-time.ts';
import { serveCommands } from '../program.ts';
import type { SampleName } from '../samples/sample.ts';
import { samples } from '../samples/sample.ts';

const WINDOW = 16 * 1024 * 1024;

let received = 0;
let expected = Infinity;
let reached = Promise.withResolvers<void>();
let marked = 0;

/** The floor of a watch: reads the same bytes and drops them. */
const commands = {
  async watch({ server, tls }: ClusterConfig, sample: SampleName): Promise<void> {
    const session = connect(server, { ca: tls?.caData, settings: { initialWindowSize: WINDOW } });
    await once(session, 'connect');
    session.setLocalWindowSize(WINDOW);
    for (const { kind } of samples[sample]) await readAll(session, `${basePath(kind.apiVersion)}/${kind.plural ?? ''}`);
  },

  /** Marks the start of a measurement that {@link commands.received} ends. */
  mark(): void {
    received = 0;
    marked = processorTime();
  },

  /** Waits for `bytes` bytes since the mark. @returns the processor time since the mark, in milliseconds. */
  async received(bytes: number): Promise<number> {
    expected = bytes;
    reached = Promise.withResolvers();
    if (received < expected) await reached.promise;
    return processorTime() - marked;
  },
};

/** Commands of the bare reader. */
export type BareReaderCommands = typeof commands;

function basePath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

async function readAll(session: ClientHttp2Session, path: string): Promise<void> {
  const stream = session.request({ ':path': `${path}?watch=true` });
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received >= expected) reached.resolve();
  });
  await once(stream, 'response');
}

serveCommands(commands);
