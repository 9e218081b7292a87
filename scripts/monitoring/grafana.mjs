// The format of Grafana's dashboards, as far as `dashboards.mjs` needs it.

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const HEIGHT = 8;
const WIDTHS = { stat: 4, timeseries: 12 };
const HEIGHTS = { stat: 4, timeseries: HEIGHT };

/** Returns a panel with lines over time. @param unit a unit of Grafana, for example `s` or `ops`. */
export function graph(title, unit, queries, { description = '', stacked = false } = {}) {
  const custom = { fillOpacity: stacked ? 40 : 10, stacking: { mode: stacked ? 'normal' : 'none' } };
  return {
    type: 'timeseries',
    title,
    description,
    targets: targetsOf(queries),
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  };
}

/** Returns a panel with one number. It is red from `alarm` on, if that is given. */
export function number(title, unit, query, { description = '', alarm } = {}) {
  const steps = [{ color: 'green', value: null }, ...(alarm === undefined ? [] : [{ color: 'red', value: alarm }])];
  return {
    type: 'stat',
    title,
    description,
    targets: targetsOf({ '': query }),
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' },
  };
}

/** Returns a dashboard. @param rows panels below titles: `[title, ...panels]`. */
export function dashboard({ uid, title, description, metric, rows }) {
  return {
    uid,
    title,
    description,
    tags: ['mcr'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    links: [{ type: 'dashboards', title: 'mcr', tags: ['mcr'], asDropdown: false, includeVars: true, keepTime: true }],
    templating: { list: variablesOf(metric) },
    panels: panelsOf(rows),
  };
}

function targetsOf(queries) {
  return Object.entries(queries).map(([legendFormat, expr], index) => ({
    refId: String.fromCodePoint('A'.codePointAt(0) + index),
    datasource: DATASOURCE,
    expr,
    legendFormat,
  }));
}

function variablesOf(metric) {
  const query = (name, from) => ({
    type: 'query',
    name,
    datasource: DATASOURCE,
    query: { query: `label_values(${from}, ${name})`, refId: name },
    refresh: 2,
    sort: 1,
  });
  return [
    { type: 'datasource', name: 'datasource', label: 'data source', query: 'prometheus' },
    query('namespace', metric),
    query('job', `${metric}{namespace="$namespace"}`),
  ];
}

/** Places panels from left to right, in lines of 24 columns. */
function panelsOf(rows) {
  const panels = [];
  let [y, id] = [0, 0];
  for (const [title, ...members] of rows) {
    panels.push({ id: ++id, type: 'row', title, gridPos: { x: 0, y, w: COLUMNS, h: 1 }, collapsed: false, panels: [] });
    y += 1;
    let [x, height] = [0, 0];
    for (const panel of members) {
      const [w, h] = [WIDTHS[panel.type], HEIGHTS[panel.type]];
      if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0];
      panels.push({ id: ++id, ...panel, datasource: DATASOURCE, gridPos: { x, y, w, h } });
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return panels;
}
