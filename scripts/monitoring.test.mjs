import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { DIRECTORY, filesOf } from './dashboards.mjs';
import { dashboards } from './monitoring/dashboards.mjs';

const root = join(import.meta.dirname, '..');
const ALERTS = 'packages/core/monitoring/alerts.yaml';
const TESTS = join(import.meta.dirname, 'monitoring/alerts.test.yaml');
const DOCS = 'https://github.com/mcr-dev/mcr/blob/main/';

/** Labels that Prometheus adds when it scrapes a Pod. */
const TARGET_LABELS = ['namespace', 'job', 'pod'];

/** Labels of each metric, and of the series of a histogram. A test of core compares the page with the code. */
const metrics = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(\w+)` +\| (\w+) +\| (`.*?`)? *\|/gmu)].flatMap(
    ([, name, type, labels = '']) => {
      const known = [...labels.replaceAll('`', '').split(', '), ...TARGET_LABELS];
      if (type !== 'histogram') return [[name, known]];
      return [
        [`${name}_bucket`, [...known, 'le']],
        [`${name}_sum`, known],
        [`${name}_count`, known],
      ];
    },
  ),
);

const rules = parse(read(ALERTS)).groups.flatMap(({ rules }) => rules);

describe('alerts', () => {
  it.each(rules)('WB-11: $alert is a rule over metrics that exist', ({ expr }) => {
    checkQuery(expr);
  });

  it.each(rules)('WB-11: $alert says what is wrong and links to what to do', ({ labels, annotations }) => {
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\.$/u);
    const [page, anchor] = annotations.runbook_url.replace(DOCS, '').split('#');
    expect(page).toBe('docs/faults.md');
    expect(anchorsOf(page)).toContain(anchor);
  });

  it('WB-11: each alert uses only labels that its expression keeps', () => {
    for (const { alert, expr, annotations } of rules) {
      const kept = /by \(([^)]*)\)/u.exec(expr)?.[1].split(', ') ?? [];
      const used = [...annotations.summary.matchAll(/\$labels\.(\w+)/gu)].map(([, label]) => label);
      expect({ alert, kept }).toEqual({ alert, kept: expect.arrayContaining(used) });
    }
  });

  it('WB-11: docs/metrics.md lists each of them', () => {
    const listed = [...read('docs/metrics.md').matchAll(/^\| `(Mcr\w+)`/gmu)].map(([, name]) => name);
    expect(listed).toEqual(rules.map(({ alert }) => alert));
  });

  // Left out where Prometheus is not installed.
  const promtool = process.env.PATH.split(delimiter)
    .map((directory) => join(directory, 'promtool'))
    .find((file) => existsSync(file));
  (promtool ? it : it.skip)('WB-11: promtool accepts the rules, and each one fires when it must', () => {
    execFileSync(promtool, ['check', 'rules', join(root, ALERTS)]);
    execFileSync(promtool, ['test', 'rules', TESTS]);
  });

  it('WB-11: each alert has a test for promtool', () => {
    const tested = parse(readFileSync(TESTS, 'utf8')).tests.flatMap((test) => test.alert_rule_test);
    expect([...new Set(tested.map(({ alertname }) => alertname))]).toEqual(rules.map(({ alert }) => alert));
  });
});

describe('dashboards', () => {
  it('WB-11: the files are those of the script', () => {
    expect(readdirSync(DIRECTORY).sort()).toEqual(
      filesOf(dashboards)
        .map(([name]) => name)
        .sort(),
    );
    for (const [name, text] of filesOf(dashboards)) expect(readFileSync(join(DIRECTORY, name), 'utf8')).toBe(text);
  });

  const panels = Object.entries(dashboards).flatMap(([name, { panels }]) =>
    panels.filter(({ targets }) => targets).map((panel) => ({ name, ...panel })),
  );

  it.each(panels)('WB-11: $name: $title queries metrics that exist, of the selected program', ({ targets }) => {
    for (const { expr, legendFormat } of targets) {
      const query = expr.replaceAll('$__rate_interval', '5m');
      const selected = checkQuery(query);
      expect(selected.map(({ labels }) => labels.slice(0, 2))).toEqual(selected.map(() => ['namespace', 'job']));
      const kept = [...query.matchAll(/by \(([^)]*)\)/gu)].flatMap(([, labels]) => labels.split(', '));
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/gu)].map(([, label]) => label);
      expect(kept).toEqual(expect.arrayContaining(shown));
    }
  });

  it.each(Object.entries(dashboards))('WB-11: the panels of %s do not overlap', (_, { panels }) => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it('WB-11: every metric is in an alert or a dashboard, or left out on purpose', () => {
    const expressions = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
    const used = new Set(expressions.flatMap((expr) => namesIn(expr.replaceAll('$__rate_interval', '5m'))));
    const families = [...metrics.keys()].filter((name) => !/_(?:sum|count)$/u.test(name));
    // The parts of the memory of a cache, which docs/metrics.md explains, and sizes of requests.
    const left = [
      ...['mcr_cache_object_bytes', 'mcr_cache_compressed_bytes', 'mcr_cache_decoded_objects'],
      ...['mcr_cache_metadata_decodes_total', 'mcr_cache_opened_blocks_total', 'mcr_cache_compactions_total'],
      ...['mcr_cache_moved_bytes_total', 'mcr_fleet_isolated_seconds', 'mcr_fleet_parked_total'],
      ...['rest_client_request_size_bytes_bucket', 'rest_client_response_size_bytes_bucket'],
      ...['rest_client_request_retries_total', 'workqueue_work_duration_seconds_bucket'],
      'workqueue_unfinished_work_seconds',
    ];
    expect(families.filter((name) => !used.has(name)).sort()).toEqual(left.sort());
  });
});

/** Checks the syntax, metrics and labels of a query. Returns the selected metrics with their labels. */
function checkQuery(text) {
  const selected = [];
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`${text}: not PromQL near ${node.from}`);
      if (node.name !== 'VectorSelector') return;
      const metric = text.slice(node.from, node.to).split('{')[0];
      const labels = node.node
        .getChildren('LabelMatchers')
        .flatMap((matchers) => matchers.getChildren('UnquotedLabelMatcher'))
        .map((matcher) => matcher.getChild('LabelName'))
        .map(({ from, to }) => text.slice(from, to));
      expect(metrics.keys()).toContain(metric);
      expect(metrics.get(metric)).toEqual(expect.arrayContaining(labels));
      selected.push({ metric, labels });
    },
  });
  expect(selected).not.toEqual([]);
  const grouped = [...text.matchAll(/by \(([^)]*)\)/gu)].flatMap(([, labels]) => labels.split(', '));
  for (const label of grouped) expect(selected.some(({ metric }) => metrics.get(metric).includes(label))).toBe(true);
  return selected;
}

function namesIn(query) {
  return checkQuery(query).map(({ metric }) => metric);
}

/** Returns the anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page) {
  return [...read(page).matchAll(/^#+ (.*)$/gmu)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}
