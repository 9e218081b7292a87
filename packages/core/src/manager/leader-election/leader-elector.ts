import type { Logger, Timer } from '@mcr/client';
import { isConflict, isNotFound, sleep } from '@mcr/client';
import { Lifetime } from '../../fleet/clusters/lifetime.ts';
import { LeaderElectionLostError } from './leader-election-lost-error.ts';
import { JITTER } from './leader-election-options.ts';
import type { Leadership, LeadershipInput } from './leadership.ts';
import { deadlineOf, mayClaim, transition } from './leadership.ts';
import type { LeaseLockOptions } from './lease-lock.ts';
import { LeaseLock } from './lease-lock.ts';
import type { LeaseRecord } from './lease-record.ts';

export interface LeaderElectorOptions extends LeaseLockOptions {
  readonly logger: Logger;
  /** Whether all leader-elected work has ended, so that the lease may be released. */
  readonly isWorkOver: () => boolean;
  /** A number in [0, 1). Default: `Math.random`. */
  readonly random?: () => number;
}

/** Acquires and renews a lease. {@link transition} determines the state of the candidate. */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #log: Logger;
  readonly #lock: LeaseLock;
  readonly #elected = Promise.withResolvers<void>();
  #state: Leadership = { phase: 'candidate' };
  /** Fires at the leader's renew deadline. */
  #deadline: Timer | undefined;
  #onLost: () => void = () => undefined;
  /** The holder that was logged last. */
  #loggedHolder = '';
  /** Whether the latest attempt failed. */
  #isFailing = false;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    const { namespace, id, identity } = options.config;
    this.#log = options.logger.child({ lease: `${namespace}/${id}`, identity });
    this.#lock = new LeaseLock(options);
  }

  /** Resolves when this process leads; stays pending if it never does. */
  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  /**
   * Whether this process leads at this instant. It is `false` as soon as the renew deadline has passed, even if the event
   * loop was blocked and no timer has fired yet.
   */
  isLeader(): boolean {
    this.#apply({ type: 'time', at: this.#options.clock.now() });
    return this.#state.phase === 'leader';
  }

  /**
   * Acquires and renews the lease until the abort, and resolves after it. Releases the lease if all leader-elected work
   * has ended.
   *
   * @throws {LeaderElectionLostError} if the lease is lost.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { config, clock, random = Math.random } = this.#options;
    const lifetime = new Lifetime(signal);
    this.#onLost = () => lifetime.end('lost the lease');
    while (!lifetime.signal.aborted) {
      await this.#try(lifetime.signal);
      const wait = config.retryPeriod * (this.#state.phase === 'leader' ? 1 : 1 + random() * JITTER);
      await sleep(clock, wait, lifetime.signal).catch(() => undefined);
    }
    this.#deadline?.cancel();
    if (this.#state.phase !== 'candidate') this.#lock.recordEvent('StopLeading');
    if (this.isLeader()) await this.#resign();
    if (this.#state.phase === 'lost') {
      const lease = `the lease ${config.namespace}/${config.id}`;
      throw new LeaderElectionLostError(`${lease} is lost: ${this.#state.reason}`);
    }
  }

  /** Attempts once to acquire or renew the lease. */
  async #try(signal: AbortSignal): Promise<void> {
    try {
      if (this.#state.phase === 'candidate') await this.#claim(signal);
      else if (this.#state.phase === 'leader') await this.#renew(this.#state.record, signal);
      if (this.#isFailing) this.#log.info('acquired or renewed the lease again');
      this.#isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      const level = this.#isFailing ? 'debug' : 'warn';
      this.#isFailing = true;
      this.#log[level]('failed to acquire or renew the lease, retrying', { error });
    }
  }

  async #claim(signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options;
    const record = await this.#lock.read(signal);
    this.#apply({ type: 'read', record, at: clock.now() });
    if (this.#state.phase !== 'candidate' || !this.#state.sighting) return;
    if (mayClaim(this.#state.sighting, clock.now(), config)) await this.#hold(record, signal);
  }

  async #renew(last: LeaseRecord, signal: AbortSignal): Promise<void> {
    try {
      await this.#hold(last, signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      // The lease was changed or deleted: its current content decides.
      const record = await this.#lock.read(signal);
      this.#apply({ type: 'read', record, at: this.#options.clock.now() });
      if (this.#state.phase === 'leader') await this.#hold(record, signal);
    }
  }

  async #hold(last: LeaseRecord | undefined, signal: AbortSignal): Promise<void> {
    const sentAt = this.#options.clock.now();
    const record = await this.#lock.hold(last, signal);
    this.#apply({ type: 'granted', record, sentAt, at: this.#options.clock.now() });
  }

  /** Does not release the lease while leader-elected work is running: it then expires by itself. */
  async #resign(): Promise<void> {
    const { config, clock, isWorkOver } = this.#options;
    const state = this.#state;
    if (state.phase !== 'leader' || !config.releaseOnCancel || !isWorkOver()) return;
    this.#apply({ type: 'resigned', at: clock.now() });
    try {
      await this.#lock.release(state.record, new AbortController().signal);
      this.#log.info('released the lease');
    } catch (error) {
      this.#log.warn('failed to release the lease, it expires by itself', { error });
    }
  }

  #apply(input: LeadershipInput): void {
    const before = this.#state;
    const after = transition(before, input, this.#options.config);
    if (after === before) return;
    this.#state = after;
    this.#deadline?.cancel();
    switch (after.phase) {
      case 'candidate':
        this.#logHolder(after.sighting?.record?.holder ?? '');
        break;
      case 'leader':
        if (before.phase === 'candidate') {
          this.#log.info('started leading');
          this.#lock.recordEvent('Lead');
        }
        this.#armDeadline(after);
        this.#elected.resolve();
        break;
      case 'lost':
        this.#log.error('lost the lease', { reason: after.reason });
        this.#onLost();
        break;
    }
  }

  #logHolder(holder: string): void {
    if (holder !== '' && holder !== this.#loggedHolder) this.#log.info('another process is leading', { holder });
    this.#loggedHolder = holder;
  }

  #armDeadline(leader: Extract<Leadership, { phase: 'leader' }>): void {
    const { clock, config } = this.#options;
    const left = Math.ceil(deadlineOf(leader, config) - clock.now());
    this.#deadline = clock.schedule(left, () => this.#onDeadline());
  }

  /** Waits again if the timer fired too early. */
  #onDeadline(): void {
    if (this.isLeader() && this.#state.phase === 'leader') this.#armDeadline(this.#state);
  }
}
