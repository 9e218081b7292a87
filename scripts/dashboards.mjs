// Writes the dashboards for Grafana, packages/core/monitoring/grafana. `npm run dashboards`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboards } from './monitoring/dashboards.mjs';

export const DIRECTORY = join(import.meta.dirname, '../packages/core/monitoring/grafana');

/** Returns the text of each file. */
export function filesOf(all) {
  return Object.entries(all).map(([name, dashboard]) => [`${name}.json`, `${JSON.stringify(dashboard, null, 2)}\n`]);
}

if (import.meta.main) {
  mkdirSync(DIRECTORY, { recursive: true });
  for (const [name, text] of filesOf(dashboards)) writeFileSync(join(DIRECTORY, name), text);
}
