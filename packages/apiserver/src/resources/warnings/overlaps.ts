import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';

interface Place {
  readonly path: string;
  /** Origin of the file; `''` if the volume has only one. */
  readonly source: string;
}

/** Returns the warnings about volumes whose files hide one another (upstream: `warningsForOverlappingVirtualPaths`). */
export function overlapWarnings(volumes: readonly unknown[]): string[] {
  return volumes.flatMap((volume) => {
    const name = JSON.stringify(scalarText(valueAt(volume, 'name')));
    const about = (what: string, paths: readonly Place[]): string[] =>
      overlaps(paths).map((text) => `volume ${name} (${what}): overlapping paths: ${text}`);
    return [
      ...about(`ConfigMap ${quoted(volume, 'configMap.name')}`, pathsIn(volume, 'configMap.items')),
      ...about(`Secret ${quoted(volume, 'secret.secretName')}`, pathsIn(volume, 'secret.items')),
      ...about('DownwardAPI', pathsIn(volume, 'downwardAPI.items')),
      ...listAt(volume, 'projected.sources')
        .filter((source) => Object.keys(source as object).length === 0)
        .map(() => `volume ${name} (Projected) has no sources provided`),
      ...about('Projected', listAt(volume, 'projected.sources').flatMap(projectedPaths)),
    ];
  });
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

function overlaps(places: readonly Place[]): string[] {
  const trimmed = places.map(({ path, source }) => ({ path: path.replace(/\/+$/u, ''), source }));
  const within = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`);
  return trimmed.flatMap((place, index) =>
    trimmed
      .slice(0, index)
      .filter(({ path }) => path !== '' && place.path !== '' && (within(path, place.path) || within(place.path, path)))
      .map((other) => `${shown(place)} with ${shown(other)}`),
  );
}

function shown({ path, source }: Place): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
