import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { ByteFault, ConnectionFault } from './fault.ts';
import { pieces } from './pieces.ts';
import type { Affliction, Subject } from './rulebook.ts';

/** A fatal alert "handshake_failure" (RFC 8446 section 6). */
const HANDSHAKE_FAILURE = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

/** The client's connection, and the one that its bytes go on over. */
export class Connection implements Subject<ConnectionFault, undefined> {
  readonly #client: Socket;
  readonly #end = new AbortController();
  #afflictions: Affliction<ConnectionFault>[] = [];
  #server: Socket | undefined;

  /** @param client as it was accepted. */
  constructor(client: Socket) {
    this.#client = client;
    client.setNoDelay(true).on('error', () => undefined);
    client.once('close', () => this.destroy());
  }

  matches(): boolean {
    return true;
  }

  afflict(affliction: Affliction<ConnectionFault>): 'struck' | undefined {
    const { fault } = affliction;
    const isOpen = this.#server !== undefined;
    if (isOpen && (fault.type === 'refuse' || fault.type === 'refuse-tls')) return undefined;
    this.#afflictions.push(affliction);
    // Nothing may ever come that would show these.
    if (isOpen && fault.type === 'reset' && fault.after === 0) this.reset();
    if (isOpen && fault.type === 'truncate' && fault.after === 0) this.#client.end();
    return 'struck';
  }

  /** Goes on to the server, or wherever its faults have it go. */
  start(port: number): void {
    const is = (type: ConnectionFault['type']) => this.#afflictions.some(({ fault }) => fault.type === type);
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

  /** The port that the server's end sees; `undefined` before it is connected, and when it never was. */
  get port(): number | undefined {
    return this.#server?.localPort;
  }

  /** The client gets RST, unless it is not to be told of anything. */
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

  async #pass(from: Socket, to: Socket, afflictions: () => readonly Affliction<ByteFault>[]): Promise<void> {
    try {
      for await (const piece of pieces(from, { afflictions, signal: this.#end.signal })) await write(to, piece);
      if (to !== this.#client || !this.#isLost) to.end();
    } catch {
      this.reset();
    }
  }

  #active(): Affliction<ByteFault>[] {
    return this.#afflictions.filter(isOfBytes).filter(({ fault, over }) => fault.type === 'half-open' || !over.aborted);
  }

  /** What counts bytes counts those of the server. */
  #toServer(): Affliction<ByteFault>[] {
    return this.#active().filter(({ fault }) => (fault.type === 'half-open' ? this.#isLost : !('after' in fault)));
  }

  /** Whether the client believes in a connection that is no more. */
  get #isLost(): boolean {
    return this.#afflictions.some(({ fault, passed }) => fault.type === 'half-open' && passed >= fault.after);
  }
}

function isOfBytes(affliction: Affliction<ConnectionFault>): affliction is Affliction<ConnectionFault & ByteFault> {
  return affliction.fault.type !== 'refuse' && affliction.fault.type !== 'refuse-tls';
}

function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
