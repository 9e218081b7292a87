import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measure, Servers } from './measure.ts';
import { buildPrograms, peersWith } from './peers.ts';
import type { Peer } from './peers.ts';
import type { Row, Run, Size } from './rows.ts';
import { rows } from './rows.ts';
import type { LeftOut, Measured } from './table.ts';
import { replaceSection, sectionOf, tableOf } from './table.ts';

const RESULTS = fileURLToPath(new URL('../../RESULTS.md', import.meta.url));
/** Runs of each program, in turns. */
const RUNS = { full: 5, smoke: 1 };

/** Rows of the comparison with peers, for the usage message. */
export const peerRows: readonly string[] = rows.map(({ id }) => id);

/**
 * Runs rows of the comparison with peers, and prints a table of medians. Full runs write it into `bench/RESULTS.md`, in
 * place of the previous one.
 */
export async function comparePeers(ids: readonly string[], size: Size): Promise<void> {
  const chosen = ids.length === 0 ? rows : rows.filter(({ id }) => ids.includes(id));
  console.error('building the programs of Go and Rust; the first time takes minutes');
  const missing = await buildPrograms();
  const peers = peersWith(missing);
  const leftOut: LeftOut[] = [];
  const measured: Measured[] = [];
  for (const row of chosen) {
    if (row.serving && missing.go) {
      leftOut.push({ what: `row ${row.id}`, reason: `the canned server is missing: ${missing.go}` });
    } else {
      measured.push({ row, runs: await measureInTurns(row, peers, size, leftOut) });
    }
  }
  const table = tableOf(measured, peers);
  console.log(table);
  for (const { what, reason } of leftOut) console.log(`left out: ${what}: ${reason}`);
  if (size === 'smoke') return;
  const section = sectionOf(table, { ...surroundings(), runs: RUNS[size], leftOut });
  writeFileSync(RESULTS, replaceSection(readFileSync(RESULTS, 'utf8'), section));
}

async function measureInTurns(
  row: Row,
  peers: readonly Peer[],
  size: Size,
  leftOut: LeftOut[],
): Promise<Map<Peer, Map<string, Run[]>>> {
  const runs = new Map<Peer, Map<string, Run[]>>();
  for (const peer of peers.filter(({ id }) => row.peers.includes(id))) {
    const reason = peer.prepare(row);
    if (reason !== undefined) leftOut.push({ what: `${peer.title} in row ${row.id}`, reason });
    else runs.set(peer, new Map((peer.variants?.(row) ?? ['']).map((variant) => [variant, []])));
  }
  await using servers = new Servers();
  for (let turn = 0; turn < RUNS[size]; turn++) {
    for (const [peer, variants] of runs) {
      for (const [variant, done] of variants) {
        try {
          const run = await measure(row, peer, variant, size, servers);
          done.push(run);
          console.error(progressOf(row, peer, variant, run));
        } catch (error) {
          leftOut.push({ what: `${peer.title} ${variant} in row ${row.id}`, reason: String(error) });
          variants.delete(variant);
        }
      }
    }
  }
  return runs;
}

function progressOf(row: Row, peer: Peer, variant: string, { steps, server }: Run): string {
  const step = ({ ms, cpu, rss }: Run['steps'][number]) =>
    `${ms.toFixed(0)} ms, CPU ${cpu.toFixed(2)} s, RSS ${(rss / 1e6).toFixed(0)} MB`;
  return `${row.id} ${peer.title} ${variant}: ${steps.map(step).join(' → ')}; server CPU ${server.toFixed(2)} s`;
}

function surroundings(): { date: string; machine: string; versions: string } {
  const version = (tool: string, ...args: string[]) => {
    try {
      return execFileSync(tool, args, { encoding: 'utf8' }).trim();
    } catch {
      return `no ${tool}`;
    }
  };
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${process.platform}`,
    versions: [
      `Node.js ${process.version.slice(1)}`,
      version('go', 'env', 'GOVERSION'),
      version('rustc', '--version'),
    ].join(', '),
  };
}
