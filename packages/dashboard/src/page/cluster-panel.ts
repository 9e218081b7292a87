import type { ClusterDetail, ClusterStatus } from '../protocol.ts';
import { byId, type Content, drawing, element, fill, patch } from './dom.ts';
import { phaseMark, toneOf } from './phases.ts';
import { dataTable, faultReference, refreshTimes, timeAgo } from './tables.ts';
import { bytes, clusterName, count, duration, labelTexts, seconds, timeText, visible } from './text.ts';

export interface ClusterPanelOptions {
  readonly request: (path: string, signal: AbortSignal) => Promise<Response>;
  readonly onClose: () => void;
  readonly now: () => number;
}

/** Interval at which the shown cluster is read, in milliseconds. */
const PERIOD = 2_000;
/** Deadline of a request, in milliseconds. */
const DEADLINE = 10_000;

/** Height of a phase in the timeline, in percent: the worse, the higher. */
const HEIGHTS: Readonly<Record<string, number>> = { bad: 100, warn: 75, info: 50, ok: 30, idle: 15 };

/** The panel with everything about one cluster, read every two seconds while it is open. */
export class ClusterPanel {
  readonly #options: ClusterPanelOptions;
  readonly #panel = byId('panel');
  #name: string | undefined;
  #end = new AbortController();

  constructor(options: ClusterPanelOptions) {
    this.#options = options;
    this.#panel.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') options.onClose();
    });
  }

  /** Shows a cluster, or closes the panel. */
  show(name: string | undefined): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#end.abort();
    this.#end = new AbortController();
    this.#panel.hidden = name === undefined;
    document.body.classList.toggle('with-panel', name !== undefined);
    if (name === undefined) return;
    const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '✕');
    close.addEventListener('click', () => this.#options.onClose());
    fill(
      this.#panel,
      element(
        'div',
        { class: 'panel-head' },
        element('h2', { id: 'panel-title', tabindex: '-1' }, clusterName(name)),
        close,
      ),
      element('div', { id: 'panel-body', class: 'panel-body' }, element('p', { class: 'muted' }, 'Loading')),
    );
    byId('panel-title').focus({ preventScroll: true });
    void this.#follow(name, this.#end.signal);
  }

  async #follow(name: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const path = `cluster?name=${encodeURIComponent(name)}`;
        const response = await this.#options.request(path, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)]));
        if (response.ok) this.#draw((await response.json()) as ClusterDetail);
        else if (response.status === 404) this.#say('The manager no longer knows this cluster.');
        else this.#say(`The cluster cannot be read: the manager answers with status ${response.status}.`);
      } catch {
        // The connection shows that the data is old.
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PERIOD);
        const end = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', end, { once: true });
      });
    }
  }

  #say(text: string): void {
    patch(byId('panel-body'), element('p', { class: 'muted' }, text));
  }

  #draw({ status, controllers, kinds, requests }: ClusterDetail): void {
    const now = this.#options.now();
    patch(
      byId('panel-body'),
      element('section', {}, stateOf(status)),
      element('section', {}, historyOf(status, now)),
      element('section', {}, workOf(status, controllers, requests)),
      element('section', {}, objectsOf(status, kinds)),
    );
    refreshTimes(now);
  }
}

function stateOf({
  phase,
  since,
  reason,
  labels,
  ownership,
  isolation,
  lastError,
  lastErrorAt,
}: ClusterStatus): Content {
  const fields: [string, Content][] = [
    ['Phase', [phaseMark(phase), ' for ', timeAgo(since)]],
    ['Reason', visible(reason)],
  ];
  if (isolation) {
    const { state, since: began, reason: why } = isolation;
    fields.push(['Isolation', [phaseMark(state), ' for ', timeAgo(began), `: ${visible(why)}`]]);
  }
  if (ownership) {
    fields.push(['Owner', `${visible(ownership.owner ?? 'not known')} (here: ${visible(ownership.state)})`]);
  }
  const texts = labelTexts(labels);
  if (texts.length > 0) fields.push(['Labels', texts.map((text) => element('span', { class: 'label' }, text))]);
  return [
    element('dl', {}, ...fields.map(([term, value]) => [element('dt', {}, term), element('dd', {}, value)])),
    lastError === undefined
      ? undefined
      : element(
          'div',
          { class: 'last-error' },
          element('h3', {}, 'Last error'),
          element('p', {}, lastErrorAt === undefined ? undefined : [timeAgo(lastErrorAt), ' ago. '], faultReference()),
          element('pre', { tabindex: '0', 'aria-label': 'Text of the last error' }, visible(lastError)),
        ),
  ];
}

/** The phases over time: as a picture, and as a table. */
function historyOf({ history }: ClusterStatus, now: number): Content {
  const [first] = history;
  if (!first) return undefined;
  const total = Math.max(1, now - first.at);
  const bars = history.map(({ phase, at }, index) => {
    const end = history[index + 1]?.at ?? now;
    const height = HEIGHTS[toneOf(phase)] ?? 15;
    const x = ((at - first.at) / total) * 1000;
    return drawing('rect', {
      class: `bar ${toneOf(phase)}`,
      ...{ x: x.toFixed(1), y: String(100 - height), height: String(height) },
      width: Math.max(2, ((end - at) / total) * 1000).toFixed(1),
    });
  });
  const label = `Phases of the last ${duration(total)}, see the table`;
  return [
    element('h3', {}, 'Phases'),
    drawing(
      'svg',
      { class: 'timeline', viewBox: '0 0 1000 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
      ...bars,
    ),
    element(
      'p',
      { class: 'timeline-ends muted' },
      element('span', {}, timeText(first.at, now)),
      element('span', {}, 'now'),
    ),
    dataTable(
      'Phases',
      ['Time', 'Phase', 'Reason'],
      [...history]
        .reverse()
        .map(({ at, phase, reason }) => [
          element('span', { class: 'nowrap' }, timeText(at, now)),
          phaseMark(phase),
          visible(reason),
        ]),
    ),
  ];
}

function workOf(
  { reconciles, errors }: ClusterStatus,
  controllers: ClusterDetail['controllers'],
  requests: ClusterDetail['requests'],
): Content {
  const rows = controllers.map(({ controller, results }) => [
    visible(controller),
    ...['success', 'error'].map((result) => count(results[result] ?? 0)),
    count((results['requeue'] ?? 0) + (results['requeue_after'] ?? 0)),
  ]);
  const latency =
    requests?.seconds &&
    `${count(requests.count)} requests to its API server: median ${seconds(requests.seconds.p50)}, 99 % within ${seconds(requests.seconds.p99)}.`;
  return [
    element('h3', {}, 'Reconciles'),
    element('p', { class: 'muted' }, `${count(reconciles)} since the cluster was discovered, ${count(errors)} failed.`),
    rows.length > 0
      ? dataTable('Reconciles by controller', ['Controller', 'Success', 'Error', 'Requeue'], rows)
      : undefined,
    latency === undefined ? undefined : element('p', { class: 'muted' }, latency),
  ];
}

function objectsOf({ sources, objects, cachedBytes }: ClusterStatus, kinds: ClusterDetail['kinds'] = []): Content {
  const rows = Object.entries(sources).map(([name, source]) => {
    const size = kinds.find(({ kind }) => kind === name)?.bytes;
    const { synced, staleFor } = source;
    const watch = staleFor === undefined ? (synced ? 'synced' : 'not synced') : `stale for ${duration(staleFor)}`;
    return [visible(name), count(source.objects), size === undefined ? '' : bytes(size), watch];
  });
  const cached = cachedBytes === undefined ? '' : `, ${bytes(cachedBytes)} cached`;
  return [
    element('h3', {}, 'Objects'),
    element('p', { class: 'muted' }, `${count(objects)} watched${cached}.`),
    rows.length > 0 ? dataTable('Objects by kind', ['Kind', 'Objects', 'Size', 'Watch'], rows) : undefined,
  ];
}
