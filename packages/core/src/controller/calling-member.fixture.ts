import type { Clock, PingResult, Recovered, Transport, TransportResponse } from '@mcr/client';
import { ConfigMap } from '@mcr/client';
import { CircuitBreaker } from '../fleet/isolation/circuit-breaker.ts';
import { observedTransport } from '../fleet/isolation/observed-transport.ts';
import { FakeMember } from './fake-member.fixture.ts';

/** A member that answers calls and pings as a test defines, in virtual time. */
export class CallingMember extends FakeMember {
  override readonly breaker: CircuitBreaker;
  /** Milliseconds from a call to its response headers; Infinity: no response. */
  latency = 1;
  /** Whether its responses have headers, but bodies without an end. */
  trickles = false;
  pong: PingResult = 'answered';
  /** Calls that were sent to it. */
  calls = 0;
  readonly #transport: Transport;
  #recovery = Promise.withResolvers<Recovered>();

  constructor(clusterName: string, clock: Clock) {
    super();
    this.informer(ConfigMap).sync();
    this.breaker = new CircuitBreaker({
      clusterName,
      clock,
      random: () => 0,
      ping: (timeout) =>
        this.pong === 'silent'
          ? new Promise((resolve) => void clock.schedule(timeout, () => resolve('silent')))
          : Promise.resolve(this.pong),
      recovery: { recovered: () => this.#recovery.promise },
    });
    const after = <T>(duration: number, value: T, signal: AbortSignal | undefined) =>
      new Promise<T>((resolve, reject) => {
        signal?.throwIfAborted();
        const timer = clock.schedule(duration === Infinity ? 1e9 : duration, () => resolve(value));
        signal?.addEventListener('abort', () => {
          timer.cancel();
          reject(signal.reason as Error);
        });
      });
    const send: Transport['send'] = ({ signal }) => {
      this.calls += 1;
      const bytes = () => (this.trickles ? after(Infinity, EMPTY, signal) : Promise.resolve(EMPTY));
      return after(this.latency, { status: 200, headers: {}, bytes } as TransportResponse, signal);
    };
    this.#transport = observedTransport({ send } as Transport, this.breaker);
  }

  /** The work of a reconciler: one write. */
  async write(signal?: AbortSignal): Promise<void> {
    const response = await this.#transport.send({ method: 'PATCH', path: '/', ...(signal && { signal }) });
    await response.bytes();
  }

  /** Makes it answer nothing at all, or everything again. */
  set isSilent(isSilent: boolean) {
    this.latency = isSilent ? Infinity : 1;
    this.pong = isSilent ? 'silent' : 'answered';
    if (!isSilent) this.#recovery.resolve({ outage: 1_000 });
    else this.#recovery = Promise.withResolvers();
  }
}

const EMPTY = new Uint8Array();
