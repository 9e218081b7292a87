import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** Numbers of the record types (RFC 1035 section 3.2.2, RFC 3596). */
const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const NO_SUCH_NAME = 3;
/** Number of bytes before the question. */
const HEADER = 12;

type Records = Readonly<Partial<Record<'A' | 'AAAA', readonly number[]>>>;

/**
 * Starts a name server on the loopback interface. Each of its names has at most one address of each family, in bytes.
 * The server does not respond to queries for names that are `silent`. Other names do not exist.
 */
export async function startDnsServer(names: Readonly<Record<string, Records | 'silent'>>) {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (query, { address, port }: RemoteInfo) => {
    const { name, end } = nameAt(query, HEADER);
    const type = TYPES[query.readUInt16BE(end)] ?? 'A';
    queries.push(`${type} ${name}`);
    const known = names[name];
    if (known === 'silent') return;
    socket.send(
      answerTo(query.subarray(0, end + 4), { exists: known !== undefined, record: known?.[type] }),
      port,
      address,
    );
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** Each query, for example `A eu.test`. */
    queries,
    async [Symbol.asyncDispose](): Promise<void> {
      await once(socket.close(), 'close');
    },
  };
}

function nameAt(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerTo(
  question: Buffer,
  { exists, record }: { readonly exists: boolean; readonly record: readonly number[] | undefined },
): Buffer {
  const message = Buffer.from(question);
  // A response, recursion available.
  message.writeUInt16BE(0x8180 | (exists ? 0 : NO_SUCH_NAME), 2);
  message.writeUInt16BE(record ? 1 : 0, 6);
  message.fill(0, 8, HEADER);
  if (!record) return message;
  const type = message.subarray(-4, -2);
  // The name of the question (a pointer), its type, class IN, and a TTL of 60 seconds.
  const head = Buffer.from([0xc0, HEADER, ...type, 0, 1, 0, 0, 0, 60, 0, record.length]);
  return Buffer.concat([message, head, Buffer.from(record)]);
}
