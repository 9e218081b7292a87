import type { HttpHandler, Manager } from '@mcr/core';
import { parseOptions } from '@mcr/core/provider';
import * as z from 'zod';
import { clusterDetail } from './figures/cluster-detail.ts';
import { OverviewReader } from './figures/overview.ts';
import { LiveFleet } from './live/live-fleet.ts';
import { html, icon, script, style } from './page.built.ts';
import { answerJson, dataHandler } from './server/data-handler.ts';
import { staticFile } from './server/static-file.ts';

/** Options of {@link addDashboard}. */
export interface DashboardOptions {
  /** Title of the page, at most 100 characters, for example the name of the program. Default: `Fleet`. */
  readonly title?: string;
  /**
   * Maximum number of pages that are open at the same time, from 1 to 1,000. Further ones are told to wait. Each one takes
   * up to 200 KB. Default: 20.
   */
  readonly maxViewers?: number;
}

const optionsSchema = z.strictObject({
  title: z.string().min(1).max(100).optional(),
  maxViewers: z.int().min(1).max(1_000).optional(),
});

const PATH = '/dashboard';

/**
 * Serves a page with the clusters, controllers and replicas of a manager at `/dashboard`, on the address of `/metrics`.
 * Who may read the metrics may read the data of the page. The page itself contains no data and needs no token; with
 * `metrics.access: 'authorized'`, it asks for one, whose user needs `get` on the nonResourceURLs `/dashboard/*`.
 *
 * Nothing is read or kept while no page is open.
 *
 * @throws {TypeError} if an option is unknown or invalid, if the manager serves no metrics, or if it has a dashboard.
 */
export function addDashboard(manager: Manager, options: DashboardOptions = {}): void {
  const { title = 'Fleet', maxViewers = 20 } = parseOptions('addDashboard', optionsSchema, options, "{ title: '...' }");
  const { metrics, clock, logger, fleet } = manager;
  if (!metrics) {
    throw new TypeError(
      'addDashboard: the manager serves no metrics, and the page would be served on their address: set metrics.bindAddress of createManager',
    );
  }
  const overview = new OverviewReader({ manager, metrics, title });
  const live = new LiveFleet({ fleet, clock, logger, overview: () => overview.read(), maxViewers });

  const open = (path: string, handler: HttpHandler): void =>
    manager.addMetricsHandler(`${PATH}${path}`, handler, { access: 'everybody' });
  open('', staticFile('text/html; charset=utf-8', html));
  open('/page.js', staticFile('text/javascript; charset=utf-8', script));
  open('/page.css', staticFile('text/css; charset=utf-8', style));
  open('/icon.svg', staticFile('image/svg+xml', icon));
  // The page refers to its files by relative paths, so that it also works behind a proxy that adds a prefix.
  open('/', (_, response) => void response.writeHead(308, { location: '../dashboard' }).end());

  const data = (path: string, handler: HttpHandler): void =>
    manager.addMetricsHandler(`${PATH}${path}`, dataHandler(handler));
  data('/events', (_, response) => live.serve(response));
  data('/cluster', async (request, response) => {
    const name = new URLSearchParams(request.url?.split('?')[1]).get('name') ?? '';
    const detail = await clusterDetail(name, { manager, metrics });
    if (detail) answerJson(response, 200, detail);
    else answerJson(response, 404, { error: 'the manager does not know the cluster' });
  });
}
