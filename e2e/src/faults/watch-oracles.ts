import type { ConfigMap, WatchEvent } from '@mcr/core';
import { compareResourceVersions } from '@mcr/client';

/** A change of an object, or a bookmark. */
export type Told = Exclude<WatchEvent<ConfigMap>, { readonly type: 'ERROR' }>;

/** One watch stream, from its opening to its end. */
export interface Segment {
  /** The version that it was asked to begin after. */
  readonly from: string;
  readonly told: readonly Told[];
}

/**
 * What a watch promises (K-6, K-7): ordered, unique, reliable, atomic, resumable, bookmarkable.
 * (Upstream: the guarantees of etcd's watch API, and its robustness tests.)
 *
 * @param history every change that there was, as the server itself told of it, in its order.
 * @param segments the streams of one reader, each resumed where the one before had ended.
 * @returns what was not as promised; nothing when all was.
 */
export function watchProblems(history: readonly Told[], segments: readonly Segment[]): string[] {
  const inHistory = new Map(history.map((change) => [versionOf(change), change]));
  const problems: string[] = [];
  const seen = new Set<string>();
  let before: Segment | undefined;
  for (const segment of segments) {
    const changes = segment.told.filter(isChange);
    let last = segment.from;
    for (const told of segment.told) {
      const version = versionOf(told);
      const order = compareResourceVersions(version, last) ?? 0;
      if (isChange(told) ? order <= 0 : order < 0) problems.push(`not ordered: ${text(told)} after ${last}`);
      else last = version;
      if (!isChange(told)) {
        const missing = between(history, segment.from, version).find((change) => !changes.some(same(change)));
        if (missing) problems.push(`not bookmarkable: ${text(told)}, and ${text(missing)} was not told`);
        continue;
      }
      if (seen.has(version)) problems.push(`not unique: ${text(told)}`);
      seen.add(version);
      const change = inHistory.get(version);
      if (JSON.stringify(change) !== JSON.stringify(told)) problems.push(`not atomic: ${text(told)}`);
    }
    const end = changes.at(-1);
    const missing = end && between(history, segment.from, versionOf(end)).find((change) => !changes.some(same(change)));
    if (missing) problems.push(`not reliable: ${text(missing)} is missing`);
    if (before && segment.from !== endOf(before)) {
      problems.push(`not resumable: ${endOf(before)} was the last, and it went on from ${segment.from}`);
    }
    before = segment;
  }
  return problems;
}

/** The version to resume from. */
export function endOf({ from, told }: Segment): string {
  const last = told.at(-1);
  return last ? versionOf(last) : from;
}

function between(history: readonly Told[], from: string, to: string): readonly Told[] {
  return history.filter((change) => isNewer(versionOf(change), from) && !isNewer(versionOf(change), to));
}

function isNewer(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? 0) > 0;
}

function isChange({ type }: Told): boolean {
  return type !== 'BOOKMARK';
}

function same(change: Told): (told: Told) => boolean {
  return (told) => versionOf(told) === versionOf(change);
}

function versionOf({ object }: Told): string {
  return object.metadata.resourceVersion;
}

function text(told: Told): string {
  const name = told.type === 'BOOKMARK' ? '' : ` ${told.object.metadata.name}`;
  return `${told.type}${name}@${versionOf(told)}`;
}
