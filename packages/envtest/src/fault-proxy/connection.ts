import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { ByteFault, ParsedConnectionFault } from './fault.ts';
import { pieces } from './pieces.ts';
import type { ActiveFault, Subject } from './rulebook.ts';

/** A fatal alert "handshake_failure" (RFC 8446 section 6). */
const HANDSHAKE_FAILURE = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

/** A client's connection, and the connection that forwards its bytes. */
export class Connection implements Subject<ParsedConnectionFault, undefined> {
  readonly #client: Socket;
  readonly #end = new AbortController();
  #activeFaults: ActiveFault<ParsedConnectionFault>[] = [];
  #server: Socket | undefined;

  /** @param client accepted socket. */
  constructor(client: Socket) {
    this.#client = client;
    client.setNoDelay(true).on('error', () => undefined);
    client.once('close', () => this.destroy());
  }

  matches(): boolean {
    return true;
  }

  apply(activeFault: ActiveFault<ParsedConnectionFault>): 'applied' | undefined {
    const { fault } = activeFault;
    const isOpen = this.#server !== undefined;
    if (isOpen && (fault.type === 'refuse' || fault.type === 'refuse-tls')) return undefined;
    this.#activeFaults.push(activeFault);
    // These faults apply at once: no further bytes may ever arrive.
    if (isOpen && fault.type === 'reset' && fault.after === 0) this.reset();
    if (isOpen && fault.type === 'truncate' && fault.after === 0) this.#client.end();
    return 'applied';
  }

  /** Connects to the server, or applies the faults of a new connection. */
  start(port: number): void {
    const is = (type: ParsedConnectionFault['type']) => this.#activeFaults.some(({ fault }) => fault.type === type);
    if (is('refuse')) {
      this.reset();
    } else if (is('refuse-tls')) {
      this.#client.once('data', () => this.#client.end(HANDSHAKE_FAILURE));
    } else {
      this.#server = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
      void this.#pass(this.#client, this.#server, () => this.#toServer());
      void this.#pass(this.#server, this.#client, () => this.#active());
    }
  }

  /** Port of the connection to the server at this end; `undefined` unless it was connected. */
  get port(): number | undefined {
    return this.#server?.localPort;
  }

  /** Resets the client's connection, unless it is half-open. */
  reset(): void {
    if (!this.#isLost) this.#client.resetAndDestroy();
    this.#end.abort();
    this.#server?.destroy();
  }

  destroy(): void {
    this.#end.abort();
    this.#client.destroy();
    this.#server?.destroy();
  }

  async #pass(from: Socket, to: Socket, activeFaults: () => readonly ActiveFault<ByteFault>[]): Promise<void> {
    try {
      for await (const piece of pieces(from, { activeFaults, signal: this.#end.signal })) await write(to, piece);
      if (to !== this.#client || !this.#isLost) to.end();
    } catch {
      this.reset();
    }
  }

  #active(): ActiveFault<ByteFault>[] {
    return this.#activeFaults
      .filter(isOfBytes)
      .filter(({ fault, over }) => fault.type === 'half-open' || !over.aborted);
  }

  /** Faults that count bytes count the bytes from the server. */
  #toServer(): ActiveFault<ByteFault>[] {
    return this.#active().filter(({ fault }) => (fault.type === 'half-open' ? this.#isLost : !('after' in fault)));
  }

  /** Whether the client still sees a connection that is dead. */
  get #isLost(): boolean {
    return this.#activeFaults.some(({ fault, passed }) => fault.type === 'half-open' && passed >= fault.after);
  }
}

function isOfBytes(
  activeFault: ActiveFault<ParsedConnectionFault>,
): activeFault is ActiveFault<ParsedConnectionFault & ByteFault> {
  return activeFault.fault.type !== 'refuse' && activeFault.fault.type !== 'refuse-tls';
}

function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
