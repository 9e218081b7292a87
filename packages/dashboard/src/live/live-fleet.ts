import type { ServerResponse } from 'node:http';
import type { Clock, Fleet, Logger, Timer } from '@mcr/core';
import type { Overview } from '../protocol.ts';
import { answerJson } from '../server/data-handler.ts';
import { rowOf } from './cluster-row.ts';
import { Revisions } from './revisions.ts';
import { Viewer } from './viewer.ts';

/** Interval at which changes are sent, in milliseconds. */
const PERIOD = 500;
/** Number of periods between two overviews. */
const OVERVIEW_PERIODS = 4;
/** Maximum number of clusters whose counters are read in a period, so that a large fleet delays no reconcile. */
const READS = 1_000;
/** Seconds after which a refused viewer may try again. */
const RETRY_AFTER = 10;

export interface LiveFleetOptions {
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called every two seconds while there are viewers. */
  readonly overview: () => Promise<Overview>;
  readonly maxViewers: number;
}

/** The state that open pages share. It exists while there are viewers. */
interface Session {
  readonly rows: Revisions;
  /** Clusters that have changed since the last period. */
  readonly changed: Set<string>;
  /** Clusters whose counters are read next. */
  unread: string[];
  /** The latest overview, as an event. */
  overview: string;
  /** Time of the next period. */
  timer: Timer;
  readonly end: AbortController;
}

/**
 * Sends the fleet to open pages: a snapshot, and then changes. Changes of a phase are noticed at once; counters are read in
 * turn. Both are sent every half a second, once for all viewers.
 */
export class LiveFleet {
  readonly #options: LiveFleetOptions;
  readonly #viewers = new Set<Viewer>();
  #session: Session | undefined;

  constructor(options: LiveFleetOptions) {
    this.#options = options;
  }

  /** Answers a request with an event stream. */
  serve(response: ServerResponse): void {
    const { clock, maxViewers } = this.#options;
    // The page was closed while the hub was asked about its token.
    if (response.destroyed) return;
    if (this.#viewers.size >= maxViewers) {
      response.setHeader('retry-after', RETRY_AFTER);
      answerJson(response, 503, { error: `${maxViewers} pages are open already, see maxViewers of addDashboard` });
      return;
    }
    const session = (this.#session ??= this.#start());
    const onEnd = (viewer: Viewer): void => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size > 0) return;
      session.end.abort();
      session.timer.cancel();
      this.#session = undefined;
    };
    const viewer = new Viewer({ response, rows: session.rows, clock, onEnd });
    this.#viewers.add(viewer);
    if (session.overview !== '') viewer.send(session.overview);
    viewer.update();
  }

  #start(): Session {
    const { fleet } = this.#options;
    const rows = new Revisions();
    for (const status of fleet.list()) rows.set(status.name, JSON.stringify(rowOf(status)));
    const session: Session = {
      ...{ rows, changed: new Set(), unread: [], overview: '' },
      timer: this.#schedule(() => session, 1),
      end: new AbortController(),
    };
    void this.#follow(session);
    void this.#readOverview(session);
    return session;
  }

  async #follow({ changed, end }: Session): Promise<void> {
    for await (const { name } of this.#options.fleet.changes(end.signal)) changed.add(name);
  }

  #schedule(sessionOf: () => Session, period: number): Timer {
    return this.#options.clock.schedule(PERIOD, () => {
      const session = sessionOf();
      this.#readRows(session);
      for (const viewer of this.#viewers) viewer.update();
      if (period % OVERVIEW_PERIODS === 0) void this.#readOverview(session);
      session.timer = this.#schedule(sessionOf, period + 1);
    });
  }

  #readRows(session: Session): void {
    const { rows, changed } = session;
    if (session.unread.length === 0) session.unread = rows.names();
    for (const name of [...changed, ...session.unread.splice(0, READS)]) {
      const status = this.#options.fleet.get(name);
      rows.set(name, status && JSON.stringify(rowOf(status)));
    }
    changed.clear();
  }

  async #readOverview(session: Session): Promise<void> {
    try {
      session.overview = `event: overview\ndata: ${JSON.stringify(await this.#options.overview())}\n\n`;
    } catch (error) {
      this.#options.logger.error('failed to read the metrics for the dashboard', { error });
      return;
    }
    if (session !== this.#session) return;
    for (const viewer of this.#viewers) viewer.send(session.overview);
  }
}
