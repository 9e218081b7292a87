import type { ConfigMap, WatchEvent } from '@mcr/core';
import { compareResourceVersions } from '@mcr/client';

/** A change of an object, or a bookmark. */
export type StreamEvent = Exclude<WatchEvent<ConfigMap>, { readonly type: 'ERROR' }>;

/** One watch stream, from its start to its end. */
export interface Segment {
  /** The version after which the stream starts. */
  readonly from: string;
  readonly events: readonly StreamEvent[];
}

/**
 * Checks the guarantees of a watch (K-6, K-7): ordered, unique, reliable, atomic, resumable, bookmarkable. (Upstream:
 * the guarantees of etcd's watch API, and its robustness tests.)
 *
 * @param history every change, in the server's order.
 * @param segments the streams of one reader, each resumed from the end of the previous one.
 * @returns the violations.
 */
export function watchProblems(history: readonly StreamEvent[], segments: readonly Segment[]): string[] {
  const inHistory = new Map(history.map((change) => [versionOf(change), change]));
  const problems: string[] = [];
  const seen = new Set<string>();
  let before: Segment | undefined;
  for (const segment of segments) {
    const changes = segment.events.filter(isChange);
    let last = segment.from;
    for (const event of segment.events) {
      const version = versionOf(event);
      const order = compareResourceVersions(version, last) ?? 0;
      if (isChange(event) ? order <= 0 : order < 0) problems.push(`not ordered: ${text(event)} after ${last}`);
      else last = version;
      if (!isChange(event)) {
        const missing = between(history, segment.from, version).find((change) => !changes.some(same(change)));
        if (missing) problems.push(`not bookmarkable: ${text(event)}, ${text(missing)} is missing`);
        continue;
      }
      if (seen.has(version)) problems.push(`not unique: ${text(event)}`);
      seen.add(version);
      const change = inHistory.get(version);
      if (JSON.stringify(change) !== JSON.stringify(event)) problems.push(`not atomic: ${text(event)}`);
    }
    const end = changes.at(-1);
    const missing = end && between(history, segment.from, versionOf(end)).find((change) => !changes.some(same(change)));
    if (missing) problems.push(`not reliable: ${text(missing)} is missing`);
    if (before && segment.from !== endOf(before)) {
      problems.push(`not resumable: ended at ${endOf(before)}, resumed from ${segment.from}`);
    }
    before = segment;
  }
  return problems;
}

/** Returns the version to resume from. */
export function endOf({ from, events }: Segment): string {
  const last = events.at(-1);
  return last ? versionOf(last) : from;
}

function between(history: readonly StreamEvent[], from: string, to: string): readonly StreamEvent[] {
  return history.filter((change) => isNewer(versionOf(change), from) && !isNewer(versionOf(change), to));
}

function isNewer(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? 0) > 0;
}

function isChange({ type }: StreamEvent): boolean {
  return type !== 'BOOKMARK';
}

function same(change: StreamEvent): (event: StreamEvent) => boolean {
  return (event) => versionOf(event) === versionOf(change);
}

function versionOf({ object }: StreamEvent): string {
  return object.metadata.resourceVersion;
}

function text(event: StreamEvent): string {
  const name = event.type === 'BOOKMARK' ? '' : ` ${event.object.metadata.name}`;
  return `${event.type}${name}@${versionOf(event)}`;
}
