import type { Clock, PingResult, Recovered, Transport, TransportResponse } from '@mcr/client';
import { ConfigMap } from '@mcr/client';
import { CircuitBreaker } from '../isolation/circuit-breaker.ts';
import { observedTransport } from '../isolation/observed-transport.ts';
import { FakeMember } from './fake-member.fixture.ts';

/** A member that answers calls and pings as a test defines, in virtual time. */
export class CallingMember extends FakeMember {
  override readonly breaker: CircuitBreaker;
  /** Milliseconds from a call to its response headers; Infinity: no response. */
  latency = 1;
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
    const send: Transport['send'] = ({ signal }) => {
      this.calls += 1;
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const timer = clock.schedule(this.latency === Infinity ? 1e9 : this.latency, () => resolve(OK));
        signal?.addEventListener('abort', () => {
          timer.cancel();
          reject(signal.reason as Error);
        });
      });
    };
    this.#transport = observedTransport({ send } as Transport, this.breaker);
  }

  /** The work of a reconciler: one write. */
  async write(signal?: AbortSignal): Promise<void> {
    await this.#transport.send({ method: 'PATCH', path: '/', ...(signal && { signal }) });
  }

  /** Makes it answer nothing at all, or everything again. */
  set isSilent(isSilent: boolean) {
    this.latency = isSilent ? Infinity : 1;
    this.pong = isSilent ? 'silent' : 'answered';
    if (!isSilent) this.#recovery.resolve({ outage: 1_000 });
    else this.#recovery = Promise.withResolvers();
  }
}

const OK = { status: 200, headers: {} } as TransportResponse;
