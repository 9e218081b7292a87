import type { ClustersEvent, Overview } from '../protocol.ts';
import { fragmentOf, type Tab, TABS, type View, viewOf } from './address.ts';
import { ClusterGrid } from './cluster-grid.ts';
import { ClusterPanel } from './cluster-panel.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { byId, type Content, element, fill, setText } from './dom.ts';
import type { StreamEvent } from './event-stream.ts';
import { selects } from './filter.ts';
import { FilterBar } from './filter-bar.ts';
import { OverviewTabs } from './overview.ts';
import { Rows, sortRows } from './rows.ts';
import { refreshTimes } from './tables.ts';
import { count, duration, visible } from './text.ts';

/** Least time between two drawings of the table, in milliseconds. */
const DRAW_INTERVAL = 200;
/** Data is shown as old after this time without an event, in milliseconds. */
const OLD = 5_000;

const rows = new Rows();
const tabs = new OverviewTabs();
let view: View = viewOf(location.hash);
let overview: Overview | undefined;
let state: ConnectionState = { type: 'connecting' };
/** Time of the server minus the time of this machine. */
let clockOffset = 0;
let lastEventAt: number | undefined;

const now = (): number => Date.now() + clockOffset;
const connection = new Connection({ onEvent, onState });
const grid = new ClusterGrid({
  now,
  onSort: (column) => {
    const { sorting } = view;
    show({ ...view, sorting: { column, descending: sorting.column === column && !sorting.descending } });
  },
  onOpen: (cluster) => visit({ ...view, cluster }),
});
const panel = new ClusterPanel({
  now,
  request: (path, signal) => connection.request(path, signal),
  onClose: () => {
    const { cluster: _, ...others } = view;
    visit(others);
    grid.focus();
  },
});
const filterBar = new FilterBar((filter) => show({ ...view, filter }));

byId('retry').addEventListener('click', () => connection.connect());
byId('access-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = byId('token') as HTMLInputElement;
  const token = input.value.trim();
  input.value = '';
  connection.authorize(token);
});
for (const tab of TABS) byId(`tab-${tab}`).addEventListener('click', () => visit({ ...view, tab }));
byId('tab-clusters').parentElement?.addEventListener('keydown', ({ key }) => {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  const tab = TABS[(TABS.indexOf(view.tab) + step + TABS.length) % TABS.length];
  if (step === 0 || !tab) return;
  visit({ ...view, tab });
  byId(`tab-${tab}`).focus();
});
for (const event of ['popstate', 'hashchange']) addEventListener(event, () => apply(viewOf(location.hash)));
setInterval(tick, 1_000);
apply(view);
connection.connect();

function onEvent({ type, data }: StreamEvent): void {
  const wasOld = ageOfData() === undefined || document.body.classList.contains('old');
  lastEventAt = Date.now();
  if (wasOld) tick();
  if (type === 'clusters') {
    if (rows.apply(JSON.parse(data) as ClustersEvent)) drawSoon();
  } else if (type === 'overview') {
    overview = JSON.parse(data) as Overview;
    clockOffset = overview.now - Date.now();
    drawOverview();
  }
}

function onState(next: ConnectionState): void {
  state = next;
  const isRefused = state.type === 'refused';
  const isNew = byId('access').hidden && isRefused;
  byId('access').hidden = !isRefused;
  byId('main').hidden = isRefused;
  if (state.type === 'refused') {
    const { problem = '' } = state;
    setText(byId('access-problem'), problem && `No access: ${problem}.`);
    byId('access-problem').hidden = problem === '';
    if (isNew || problem !== '') byId('token').focus();
  }
  if (state.type === 'live') panel.show(view.cluster);
  tick();
  drawSoon();
}

/** Shows a view that the browser's history has in place of the present one. */
function show(next: View): void {
  history.replaceState(null, '', fragmentOf(next));
  apply(next);
}

/** Shows a view that is a new step in the browser's history. */
function visit(next: View): void {
  history.pushState(null, '', fragmentOf(next));
  apply(next);
}

function apply(next: View): void {
  view = next;
  for (const tab of TABS) {
    const [button, isSelected] = [byId(`tab-${tab}`), tab === view.tab];
    button.setAttribute('aria-selected', String(isSelected));
    button.tabIndex = isSelected ? 0 : -1;
    byId(tab).hidden = !isSelected;
  }
  filterBar.set(view.filter);
  if (lastEventAt !== undefined) panel.show(view.cluster);
  draw();
  drawOverview();
}

let drawing: ReturnType<typeof setTimeout> | undefined;

function drawSoon(): void {
  drawing ??= setTimeout(draw, rows.isLoaded ? DRAW_INTERVAL : 0);
}

function draw(): void {
  clearTimeout(drawing);
  drawing = undefined;
  const all = rows.all();
  const selected = sortRows(all.filter(selects(view.filter)), view.sorting);
  filterBar.offer(all);
  grid.hasOwners = all.some(({ owner }) => owner !== undefined);
  grid.show(selected, view.sorting);
  grid.mark(view.cluster);
  grid.say(selected.length === 0 ? messageInsteadOf(all.length) : undefined);
  const total = `${count(all.length)} cluster${all.length === 1 ? '' : 's'}`;
  setText(byId('count'), selected.length === all.length ? total : `${count(selected.length)} of ${total}`);
  const failed = all.filter(({ lastErrorAt }) => lastErrorAt !== undefined).length;
  setLabel('clusters', all.length);
  setLabel('errors', failed);
  if (view.tab === 'errors') {
    tabs.showErrors(all, view, now());
    refreshTimes(now());
  }
}

function drawOverview(): void {
  if (!overview) return;
  const { title, replica, isLeader, controllers } = overview;
  document.title = visible(title);
  setText(byId('title'), visible(title));
  const leads = isLeader === undefined ? [] : [isLeader ? 'leader' : 'not the leader'];
  setText(byId('identity'), [...(replica ? [`replica ${visible(replica.name)}`] : []), ...leads].join(', '));
  setLabel('controllers', controllers.length);
  setLabel('replicas', replica?.replicas.length ?? 1);
  tabs.showOverview(overview, rows.all());
}

function setLabel(tab: Tab, number: number): void {
  const name = `${tab.charAt(0).toUpperCase()}${tab.slice(1)}`;
  const button = byId(`tab-${tab}`);
  if (button.childElementCount === 0) fill(button, name, element('span', { class: 'badge' }));
  if (button.lastElementChild) setText(button.lastElementChild, count(number));
}

/** Returns what the table says if it has no rows. */
function messageInsteadOf(total: number): Content {
  if (!rows.isLoaded) {
    if (state.type !== 'waiting') return element('p', { class: 'skeleton' }, 'Loading the fleet');
    return [element('h2', {}, 'No data yet'), element('p', {}, `Reason: ${state.problem}.`)];
  }
  if (total === 0) {
    const text = 'They appear here when the provider discovers them.';
    return [element('h2', {}, 'No clusters yet'), element('p', {}, text)];
  }
  const clear = element('button', { type: 'button', class: 'primary' }, 'Clear the filter');
  clear.addEventListener('click', () => show({ ...view, filter: viewOf('').filter }));
  return [element('h2', {}, 'No cluster matches the filter'), clear];
}

function ageOfData(): number | undefined {
  return lastEventAt === undefined ? undefined : Date.now() - lastEventAt;
}

/** Brings times up to date, and says if the data is old. */
function tick(): void {
  const age = ageOfData();
  const isOld = age === undefined ? state.type === 'waiting' : age > OLD;
  document.body.classList.toggle('old', isOld);
  const label =
    state.type === 'refused' ? 'No access' : isOld ? 'Disconnected' : age === undefined ? 'Connecting' : 'Live';
  const status = byId('status');
  setText(status, label);
  status.className = `status ${label === 'Live' ? 'ok' : label === 'Connecting' ? 'info' : 'bad'}`;
  byId('notice').hidden = !isOld || state.type === 'refused';
  if (isOld) {
    const problem = state.type === 'waiting' ? state.problem : 'the manager is silent';
    setText(byId('notice-text'), `Disconnected: ${problem}.`);
    const data = age === undefined ? '' : `The data is ${duration(age)} old. `;
    const wait = state.type === 'waiting' ? Math.ceil((state.retryAt - Date.now()) / 1000) : 0;
    setText(byId('notice-age'), `${data}${wait > 0 ? `Next attempt in ${wait} s.` : 'Reconnecting.'}`);
    byId('retry').hidden = wait <= 0;
  }
  refreshTimes(now());
  grid.refresh();
}
