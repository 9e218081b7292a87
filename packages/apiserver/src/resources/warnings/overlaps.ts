import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { firstWarnings } from './limit.ts';

interface Place {
  readonly path: string;
  /** Origin of the file; `''` if the volume has only one. */
  readonly source: string;
}

/**
 * Returns the warnings about volumes whose files hide one another: as many as a response can show (upstream:
 * `warningsForOverlappingVirtualPaths`).
 */
export function overlapWarnings(volumes: readonly unknown[]): string[] {
  return firstWarnings(allWarnings(volumes));
}

function* allWarnings(volumes: readonly unknown[]): Generator<string> {
  for (const volume of volumes) {
    const name = JSON.stringify(scalarText(valueAt(volume, 'name')));
    const about = function* (what: string, paths: readonly Place[]): Generator<string> {
      for (const text of overlaps(paths)) yield `volume ${name} (${what}): overlapping paths: ${text}`;
    };
    yield* about(`ConfigMap ${quoted(volume, 'configMap.name')}`, pathsIn(volume, 'configMap.items'));
    yield* about(`Secret ${quoted(volume, 'secret.secretName')}`, pathsIn(volume, 'secret.items'));
    yield* about('DownwardAPI', pathsIn(volume, 'downwardAPI.items'));
    for (const source of listAt(volume, 'projected.sources')) {
      if (Object.keys(source as object).length === 0) yield `volume ${name} (Projected) has no sources provided`;
    }
    yield* about('Projected', listAt(volume, 'projected.sources').flatMap(projectedPaths));
  }
}

const quoted = (value: unknown, path: string): string => JSON.stringify(scalarText(valueAt(value, path)));

function pathsIn(value: unknown, list: string, source = ''): Place[] {
  return listAt(value, list).map((item) => ({ path: scalarText(valueAt(item, 'path')), source }));
}

function projectedPaths(source: unknown): Place[] {
  const token = valueAt(source, 'serviceAccountToken');
  return [
    ...pathsIn(source, 'configMap.items', `ConfigMap ${quoted(source, 'configMap.name')}`),
    ...pathsIn(source, 'secret.items', `Secret ${quoted(source, 'secret.name')}`),
    ...pathsIn(source, 'downwardAPI.items', 'DownwardAPI'),
    ...(token === undefined ? [] : [{ path: scalarText(valueAt(token, 'path')), source: 'ServiceAccountToken' }]),
  ];
}

/** A directory of the files seen so far. */
interface Directory {
  readonly entries: Map<string, Directory>;
  /** Indexes of the files with this path, in order. */
  readonly here: number[];
  /** Indexes of the files with this path or one below it, in order. */
  readonly below: number[];
}

const emptyDirectory = (): Directory => ({ entries: new Map(), here: [], below: [] });

function* overlaps(places: readonly Place[]): Generator<string> {
  const trimmed = places.map(({ path, source }) => ({ path: path.replace(/(?<!\/)\/+$/u, ''), source }));
  const root = emptyDirectory();
  for (const [index, place] of trimmed.entries()) {
    if (place.path === '') continue;
    const found: number[] = [];
    const passed: Directory[] = [];
    let directory = root;
    for (const step of place.path.split('/')) {
      for (const outer of directory.here) found.push(outer);
      const next = directory.entries.get(step) ?? emptyDirectory();
      directory.entries.set(step, next);
      passed.push(next);
      directory = next;
    }
    for (const inner of directory.below) found.push(inner);
    for (const other of found.toSorted((a, b) => a - b)) yield overlap(place, trimmed[other]);
    directory.here.push(index);
    for (const each of passed) each.below.push(index);
  }
}

function overlap(place: Place, other: Place | undefined): string {
  return `${shown(place)} with ${other ? shown(other) : ''}`;
}

function shown({ path, source }: Place): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
