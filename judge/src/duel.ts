import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/client';
import type { Operation } from './operation.ts';
import { PATCH_TYPES } from './operation.ts';
import { markerOf } from './operations/watches.ts';
import { preparation } from './script.ts';
import type { Answer, Sent } from './side.ts';
import { Side } from './side.ts';

/** Number of operations after which an open watch is read. */
const WATCHED = 40;

/** Deadline for a custom kind to be served, in milliseconds. */
const SERVED_TIMEOUT = 30_000;

/** The answers of every server to one operation. */
export interface Round {
  readonly index: number;
  readonly operation: Operation;
  /** The request to the first server. */
  readonly sent: Sent;
  readonly answers: readonly Answer[];
}

/** Sends the same operations to servers, and yields their answers. */
export class Duel implements Disposable {
  readonly #sides: readonly Side[];
  #watched: Operation | undefined;
  #since = 0;

  constructor(configs: readonly ClusterConfig[]) {
    this.#sides = configs.map((config) => new Side(config));
  }

  /** Creates what the operations need. */
  async prepare(): Promise<void> {
    for (const operation of preparation.operations) {
      const refused = (await this.#all(operation)).find(({ status }) => status >= 300);
      if (refused) throw new Error(`${operation.path}: ${JSON.stringify(refused.body)}`);
    }
    for (const side of this.#sides) {
      for (const path of preparation.served) {
        const deadline = Date.now() + SERVED_TIMEOUT;
        while ((await side.send({ method: 'GET', path })).status !== 200) {
          if (Date.now() > deadline) throw new Error(`${path}: not served within ${SERVED_TIMEOUT} ms`);
          await sleep(50);
        }
      }
    }
  }

  /**
   * Yields one round per operation.
   *
   * @param operations operations without end.
   * @param signal ends the rounds.
   */
  async *rounds(operations: Iterator<Operation>, count: number, signal?: AbortSignal): AsyncGenerator<Round> {
    for (let index = 0; index < count && !signal?.aborted; index++) {
      const operation = operations.next().value as Operation;
      const { sent, answers } = await this.perform(operation);
      if (operation.until === 'marker') {
        this.#watched = operation;
        this.#since = 0;
      }
      yield { index, operation, sent, answers };
      if (this.#watched && ++this.#since > WATCHED) yield* this.#drained(index, this.#watched);
    }
  }

  /** Sends one operation, and the requests before and after it. */
  async perform(operation: Operation): Promise<Pick<Round, 'sent' | 'answers'>> {
    if (operation.settles !== undefined && this.#sides.length > 1) {
      await Promise.all(this.#sides.map((side) => side.settle(operation.settles ?? '')));
    }
    for (const earlier of operation.before ?? []) await this.#all(earlier);
    const sent = (this.#sides[0] as Side).resolve(operation);
    const answers = await this.#all(operation);
    for (const later of operation.after ?? []) await this.#all(later);
    return { sent, answers };
  }

  /** Deletes the object that an operation wrote, after its answers differed. */
  async reset({ writes }: Operation): Promise<void> {
    if (writes === undefined || writes.includes('//') || writes.endsWith('/')) return;
    const headers = { 'content-type': PATCH_TYPES.merge };
    await this.#all({ method: 'PATCH', path: writes, headers, body: { metadata: { finalizers: null } } });
    await this.#all({ method: 'DELETE', path: `${writes}?gracePeriodSeconds=0&propagationPolicy=Background` });
    for (const side of this.#sides) side.forget(writes);
  }

  [Symbol.dispose](): void {
    for (const side of this.#sides) side[Symbol.dispose]();
  }

  async *#drained(index: number, operation: Operation): AsyncGenerator<Round> {
    this.#watched = undefined;
    const [collection = ''] = operation.path.split('?');
    const { write, remove } = markerOf(collection);
    await this.#all(remove);
    await this.#all(write);
    const answers = await Promise.all(this.#sides.map((side) => side.drain()));
    await this.#all(remove);
    const events = answers.filter((answer) => answer !== undefined);
    if (events.length < this.#sides.length) return;
    const sent = (this.#sides[0] as Side).resolve(operation);
    yield { index, operation: { ...operation, method: 'WATCH' }, sent: { ...sent, method: 'WATCH' }, answers: events };
  }

  #all(operation: Operation): Promise<readonly Answer[]> {
    return Promise.all(this.#sides.map((side) => side.send(operation)));
  }
}
