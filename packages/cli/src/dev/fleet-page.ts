import { probe } from './probe.ts';
import type { Replica } from './replica.ts';
import type { Say } from './say.ts';

/** Time for the page to answer after the program has started its manager, in milliseconds. */
const DEADLINE = 10_000;

const ADD = "call addDashboard(manager, { title: '...' }) of @mcr/dashboard in setup()";
const LISTEN = "set metrics: { bindAddress: process.env['METRICS_ADDRESS'] ?? '127.0.0.1:8080' } in manager()";

type PageOwner = Pick<Replica, 'name' | 'endpoints'>;

export interface FleetPagesOptions {
  readonly say: Say;
  /** Opens the first page that answers. Default: none is opened. */
  readonly open: ((url: string) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** Finds the fleet pages of the replicas, and prints their addresses. */
export class FleetPages {
  readonly #options: FleetPagesOptions;
  readonly #found = new Set<PageOwner>();
  #hasAdvised = false;
  #hasOpened = false;

  constructor(options: FleetPagesOptions) {
    this.#options = options;
  }

  /** Looks for the page of a replica that has started, unless it was found before. */
  async find(replica: PageOwner): Promise<void> {
    if (this.#found.has(replica)) return;
    const { metrics } = replica.endpoints;
    const { say, signal } = this.#options;
    if (metrics === undefined) {
      this.#advise(`no fleet page, because no metrics are served: ${LISTEN}, and ${ADD}`);
      return;
    }
    const url = `${metrics}/dashboard`;
    const status = await probe(url, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)]));
    if (signal.aborted) return;
    if (status === undefined) this.#advise(`no fleet page, because ${metrics} does not answer: ${LISTEN}`);
    else if (status === 404) this.#advise(`no fleet page: ${ADD}`);
    else {
      this.#found.add(replica);
      say.step(`fleet page of ${replica.name}: ${url}`);
      await this.#openOnce(url);
    }
  }

  #advise(text: string): void {
    if (this.#hasAdvised) return;
    this.#hasAdvised = true;
    this.#options.say.step(text);
  }

  async #openOnce(url: string): Promise<void> {
    const { open, say } = this.#options;
    if (!open || this.#hasOpened) return;
    this.#hasOpened = true;
    await open(url).catch((error: unknown) => {
      say.problem(`failed to open a browser: ${(error as Error).message}: open the page yourself, or use --no-open`);
    });
  }
}
