import type { ClusterRow, ControllerFigures, Overview } from '../protocol.ts';
import { fragmentOf, type View } from './address.ts';
import { byId, type Content, drawing, element, patch } from './dom.ts';
import { phaseMark } from './phases.ts';
import { dataTable, faultReference, timeAgo } from './tables.ts';
import { clusterName, count, rate, seconds, visible } from './text.ts';

/** Maximum number of errors that are listed. */
const MAX_ERRORS = 200;
/** Number of points of a sparkline: two minutes. */
const POINTS = 60;
const NONE = '–';

/** The tabs with controllers, replicas and errors. */
export class OverviewTabs {
  /** The latest rates of each controller. */
  readonly #rates = new Map<string, number[]>();

  showOverview(overview: Overview, rows: readonly ClusterRow[]): void {
    const { controllers } = overview;
    for (const { name, reconcileRate } of controllers) {
      if (reconcileRate === undefined) continue;
      this.#rates.set(name, [...(this.#rates.get(name) ?? []), reconcileRate].slice(-POINTS));
    }
    patch(byId('controllers'), this.#controllers(controllers, rows));
    patch(byId('replicas'), replicas(overview, rows));
  }

  /** Lists the clusters with errors, the latest first. */
  showErrors(rows: readonly ClusterRow[], view: View, now: number): void {
    const failed = rows
      .filter(({ lastErrorAt }) => lastErrorAt !== undefined)
      .sort((a, b) => (b.lastErrorAt ?? 0) - (a.lastErrorAt ?? 0));
    if (failed.length === 0) {
      patch(byId('errors'), message('No errors', 'No cluster has had an error since the start of this process.'));
      return;
    }
    const list = failed.slice(0, MAX_ERRORS).map(({ name, phase, lastErrorAt = now, lastError = '' }) => {
      const href = fragmentOf({ ...view, tab: 'clusters', cluster: name });
      return [
        [timeAgo(lastErrorAt), ' ago'],
        element('a', { href }, clusterName(name)),
        phaseMark(phase),
        visible(lastError),
      ];
    });
    const more = failed.length > list.length ? `the latest ${count(list.length)} of ` : '';
    patch(
      byId('errors'),
      element(
        'p',
        { class: 'muted' },
        `The last error of ${more}${count(failed.length)} clusters. It stays after a recovery. `,
        faultReference(),
      ),
      dataTable('Last errors', ['When', 'Cluster', 'Phase now', 'Error'], list),
    );
  }

  #controllers(controllers: readonly ControllerFigures[], rows: readonly ClusterRow[]): Content {
    if (controllers.length === 0) return message('No controllers', 'This process has started no controller yet.');
    const isolated = (state: string) => rows.filter(({ isolation }) => isolation === state).length;
    const body = controllers.map((controller) => {
      const {
        name,
        workers,
        activeWorkers,
        reconcileRate,
        errorRate,
        reconcileSeconds: took,
        waitSeconds: waited,
      } = controller;
      const share = workers > 0 ? activeWorkers / workers : 0;
      return [
        visible(name),
        [sparkline(this.#rates.get(name) ?? [], name), reconcileRate === undefined ? NONE : rate(reconcileRate)],
        errorRate === undefined ? NONE : errorRate > 0 ? element('span', { class: 'bad' }, rate(errorRate)) : '0/s',
        took ? seconds(took.p50) : NONE,
        took ? seconds(took.p99) : NONE,
        count(controller.depth),
        waited ? seconds(waited.p99) : NONE,
        [meter(share, `${activeWorkers} of ${workers} workers of ${visible(name)}`), `${activeWorkers}/${workers}`],
        controller.longestSeconds > 0 ? seconds(controller.longestSeconds) : NONE,
        count(controller.reconciles),
        count(controller.errors),
      ];
    });
    return [
      element(
        'p',
        { class: 'muted' },
        'Rates and percentiles of the last minute, while this page is open. ',
        `Isolated clusters, for all controllers: ${count(isolated('parked'))} parked, ${count(isolated('slow'))} slow.`,
      ),
      dataTable(
        'Controllers',
        [
          'Controller',
          'Throughput',
          'Errors',
          'p50',
          'p99',
          'Queue',
          'Wait p99',
          'Workers',
          'Longest',
          'Reconciles',
          'Failed',
        ],
        body,
      ),
    ];
  }
}

function replicas({ replica, isLeader }: Overview, rows: readonly ClusterRow[]): Content {
  const leads = isLeader === undefined ? undefined : `This process ${isLeader ? 'leads' : 'does not lead'}.`;
  if (!replica) {
    return message('Not sharded', ['This process serves the whole fleet. ', leads]);
  }
  const { name, fence, problem, epoch, slots, held, handovers, refusedWrites } = replica;
  const owned = new Map<string, number>();
  for (const { owner } of rows) if (owner !== undefined) owned.set(owner, (owned.get(owner) ?? 0) + 1);
  const average = handovers.count > 0 ? seconds(handovers.milliseconds / handovers.count / 1000) : NONE;
  const figures: [string, Content][] = [
    ['Replica', visible(name)],
    [
      'Slots',
      [slotBar(held, slots), `${held.active} active, ${held.warming} warming, ${held.draining} draining of ${slots}`],
    ],
    ['Writes', fence === 'open' ? 'allowed' : element('span', { class: 'bad' }, 'refused: the fence is closed')],
    ['Handovers', `${count(handovers.count)} slots taken over, ${average} on average`],
    ['Refused writes', count(refusedWrites)],
    ['Plan', `epoch ${count(epoch)}${replica.isMember ? '' : ', without this replica'}`],
  ];
  if (problem !== undefined) figures.push(['Problem', visible(problem)]);
  if (leads !== undefined) figures.push(['Leader', leads]);
  return [
    element(
      'dl',
      { class: 'figures' },
      ...figures.map(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]),
    ),
    dataTable(
      'Replicas',
      ['Replica', 'Clusters', ''],
      replica.replicas.map((each) => [visible(each), count(owned.get(each) ?? 0), each === name ? 'this replica' : '']),
    ),
  ];
}

/** The latest value is at the right. */
function sparkline(values: readonly number[], name: string): SVGElement {
  const top = Math.max(...values, 1e-9);
  const start = POINTS - values.length;
  const x = (index: number) => (((start + index) / (POINTS - 1)) * 100).toFixed(1);
  const line = values.map((value, index) => `${x(index)},${(19 - (value / top) * 17).toFixed(1)}`);
  const points = [`${x(0)},20`, ...line, '100,20'].join(' ');
  const label = `Throughput of ${visible(name)} over two minutes`;
  const attributes = { class: 'spark', viewBox: '0 0 100 20', preserveAspectRatio: 'none' };
  return drawing('svg', { ...attributes, role: 'img', 'aria-label': label }, drawing('polyline', { points }));
}

function meter(share: number, label: string): SVGElement {
  const width = String(Math.round(Math.min(1, share) * 100));
  return drawing(
    'svg',
    { class: 'meter', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    drawing('rect', { class: 'track', width: '100', height: '10' }),
    drawing('rect', { class: share >= 1 ? 'bar warn' : 'bar info', width, height: '10' }),
  );
}

function slotBar(held: Readonly<Record<'active' | 'warming' | 'draining', number>>, slots: number): SVGElement {
  const tones = { active: 'ok', warming: 'info', draining: 'warn' } as const;
  let x = 0;
  const bars = Object.entries(tones).map(([state, tone]) => {
    const width = (held[state as keyof typeof tones] / Math.max(1, slots)) * 100;
    const bar = drawing('rect', { class: `bar ${tone}`, x: x.toFixed(2), width: width.toFixed(2), height: '10' });
    x += width;
    return bar;
  });
  return drawing(
    'svg',
    { class: 'meter wide', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    drawing('rect', { class: 'track', width: '100', height: '10' }),
    ...bars,
  );
}

function message(title: string, text: Content): HTMLElement {
  return element('div', { class: 'message' }, element('h2', {}, title), element('p', {}, text));
}
