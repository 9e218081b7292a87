import type { Client, Clock, Logger, Reader, Timer } from '@mcr/core';
import { isAlreadyExists, isApiError, isConflict, isNotFound, isTransportError, Secret, sleep } from '@mcr/core';
import { Backoff } from '@mcr/core/provider';
import type { CertificateSource, KeyPair } from '../certificate-source.ts';
import type { CaBundleConsumer } from '../ca-bundle-consumer.ts';
import { newSecret, readSecret, secretData } from './certificate-secret.ts';
import type { Issue } from './issued-certificate.ts';
import { isNotYetValid } from './issued-certificate.ts';
import type { ParsedManagedCertificate } from './managed-certificate-options.ts';
import type { RotationState } from './rotation.ts';
import { caBundleOf, firstState, nextState } from './rotation.ts';

/** Interval at which each replica reads the Secret, in milliseconds. */
const PERIOD = 30_000;
/** Deadline of a request, in milliseconds. */
const TIMEOUT = 10_000;
/** Backoff of the first read, in milliseconds. */
const RETRY = { base: 500, max: 10_000 };
/** Attempts of one refresh: a write of another replica, or a step of the rotation, leads to the next one. */
const MAX_ATTEMPTS = 10;

export interface ManagedCertificateParts {
  readonly options: ParsedManagedCertificate;
  readonly client: Pick<Client, 'create' | 'update'>;
  /** Reads without a cache, because no cache has started. */
  readonly reader: Pick<Reader, 'find'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The certificates in a Secret that all replicas share. Each replica can take every step of a rotation; the first one does. */
export class ManagedCertificate implements CertificateSource {
  readonly #parts: ManagedCertificateParts;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #consumers = new Set<CaBundleConsumer>();
  #state: RotationState | undefined;
  #server: { setSecureContext(pair: KeyPair): void } | undefined;
  #timer: Timer | undefined;
  /** The latest failure, so that it is logged once. */
  #failure = '';

  constructor(parts: ManagedCertificateParts) {
    this.#parts = parts;
    // It may have no reader.
    this.#first.promise.catch(() => undefined);
  }

  async read(signal: AbortSignal): Promise<KeyPair> {
    const backoff = new Backoff(RETRY);
    const { clock } = this.#parts;
    for (;;) {
      try {
        return keyPairOf(await this.#refresh(AbortSignal.any([signal, this.#stopping.signal])));
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        if (!isClosed(error)) this.#warn('no webhook certificate yet, retrying', error);
        await sleep(clock, backoff.next(), signal);
      }
    }
  }

  follow(server: { setSecureContext(pair: KeyPair): void }): void {
    this.#server = server;
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#stopping.abort(new DOMException('the webhook server has stopped', 'AbortError'));
    this.#first.reject(this.#stopping.signal.reason);
  }

  async caBundle(): Promise<string> {
    await this.#first.promise;
    // The first state was set before.
    return this.#state === undefined ? '' : caBundleOf(this.#state);
  }

  addConsumer(consumer: CaBundleConsumer): void {
    this.#consumers.add(consumer);
  }

  #schedule(): void {
    const { signal } = this.#stopping;
    this.#timer = this.#parts.clock.schedule(PERIOD, () => {
      void this.#refresh(signal)
        .then(
          () => (this.#failure = ''),
          (error: unknown) => {
            if (!signal.aborted)
              this.#warn('failed to refresh the webhook certificate, serving the previous one', error);
          },
        )
        .then(() => {
          if (!signal.aborted) this.#schedule();
        });
    });
  }

  /** Reads the Secret, takes the steps that are due, and serves the result. @throws {Error} if it is not valid. */
  async #refresh(signal: AbortSignal): Promise<RotationState> {
    const { options, reader, client, clock, logger } = this.#parts;
    const { secret: key } = options;
    const call = { signal, timeout: TIMEOUT };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      try {
        const found = await reader.find(Secret, key, call);
        const now = clock.wallTime();
        if (!found) {
          const state = await firstState({ issue, now, ...options });
          await client.create(Secret, newSecret(key, state), call).catch(refuseMissingNamespace(key.namespace));
          logger.info('created the webhook certificate', { secret: key });
          continue;
        }
        const state = readSecret(found);
        // Clusters get the CA bundle of this state before the next step is considered.
        this.#adopt(state);
        const isPending = this.#isPending(caBundleOf(state));
        const next = await nextState(state, { issue, now, isPending, ...options });
        if (!next) return state;
        if (isNotYetValid(state.current, now) && next.phase === 'trusting') {
          logger.warn('replacing a certificate that is not valid yet: check the clocks of the replicas', {
            secret: key,
          });
        } else if (isPending && next.phase === 'replacing') {
          logger.warn(
            'replacing a certificate that is about to expire, although some clusters do not trust the next one',
          );
        }
        // The copy is mutable. Its resourceVersion lets one replica win.
        const changed = { ...(structuredClone(found) as Secret), data: secretData(next) };
        await client.update(Secret, changed, call);
        logger.info('rotating the webhook certificate', { secret: key, phase: next.phase });
      } catch (error) {
        // Another replica was faster: its state counts.
        if (!isAlreadyExists(error) && !isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    throw new Error(`secret ${key.namespace}/${key.name} changes too often: check who else writes it`);
  }

  #isPending(caBundle: string): boolean {
    return [...this.#consumers].some((consumer) => consumer.hasOther(caBundle));
  }

  #adopt(state: RotationState): void {
    const previous = this.#state;
    this.#state = state;
    this.#first.resolve();
    if (previous && caBundleOf(previous) !== caBundleOf(state)) {
      for (const consumer of this.#consumers) consumer.caBundleChanged();
    }
    if (!this.#server || previous?.current.cert === state.current.cert) return;
    this.#server.setSecureContext(keyPairOf(state));
    this.#parts.logger.info('serving a new certificate', { secret: this.#parts.options.secret });
  }

  #warn(message: string, error: unknown): void {
    const failure = String(error);
    if (failure !== this.#failure) this.#parts.logger.warn(message, { secret: this.#parts.options.secret, error });
    this.#failure = failure;
  }
}

/** Only a missing namespace makes a create end with "not found". A retry would not help. */
function refuseMissingNamespace(namespace: string): (cause: unknown) => never {
  return (cause) => {
    if (!isNotFound(cause)) throw cause;
    throw new Error(`certificate.secret: namespace ${namespace} not found: create it before the program starts`, {
      cause,
    });
  };
}

/** Loaded on demand: a replica rarely creates certificates. */
const issue: Issue = async (options) => (await import('./issue.ts')).issue(options);

function keyPairOf({ current: { cert, key } }: RotationState): KeyPair {
  return { cert, key };
}

/** Whether the manager has closed its client. It aborts the signal next. */
function isClosed(error: unknown): boolean {
  return isTransportError(error) && error.code === 'closed';
}

/** Whether the hub may answer later: everything but a refusal, or a Secret that is not valid. */
function isTransient(error: unknown): boolean {
  return isApiError(error) ? error.status >= 500 || error.status === 429 : isTransportError(error);
}
