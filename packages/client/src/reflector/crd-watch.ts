import type { Client } from '../client/client.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { rejectWhenAborted } from '../clock/until-aborted.ts';
import { defineKind, parseApiVersion, partialMetadata, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';

const CustomResourceDefinition = partialMetadata(
  defineKind({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    scope: 'Cluster',
  }),
);

/** Requested duration of the watch, in seconds. */
const WATCH_SECONDS = 300;

interface OpenWatch {
  readonly end: AbortController;
  /** Version in the latest event; `undefined` before the first event and after a deletion. */
  version: string | undefined;
  /** Callers that wait for the next event. */
  readonly waiting: Set<() => void>;
  callers: number;
  isOver: boolean;
}

export interface CrdWatchOptions {
  readonly client: Pick<Client, 'watch'>;
  /** Forgets a kind when its definition exists. */
  readonly restMapper?: Pick<RestMapper, 'forget'> | undefined;
}

/**
 * Reports when the CustomResourceDefinition of a kind that a cluster does not serve is created or changed. Watches only
 * the metadata of that definition, shares the watch between callers, and closes it when no caller waits. If the watch
 * is refused (it needs the verb `watch` on `customresourcedefinitions`), callers fall back to their own backoff.
 */
export class CrdWatch {
  readonly #options: CrdWatchOptions;
  /** Watches by name of the definition. */
  readonly #open = new Map<string, OpenWatch>();

  constructor(options: CrdWatchOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the version of the definition of `kind` as soon as it differs from `known`.
   *
   * @throws the reason of `signal` if it aborts first.
   */
  async changed(kind: Kind<KubernetesObject>, known: string | undefined, signal: AbortSignal): Promise<string> {
    const name = definitionName(kind);
    if (name === undefined) return rejectWhenAborted(signal);
    const watch = this.#join(name);
    try {
      while (watch.version === undefined || watch.version === known) await nextEvent(watch, signal);
      return watch.version;
    } finally {
      // Discovery lags a little behind the definition, so its result for a kind that is being installed is soon
      // outdated.
      if (watch.version !== undefined) this.#options.restMapper?.forget(kind);
      this.#leave(name, watch);
    }
  }

  #join(name: string): OpenWatch {
    let watch = this.#open.get(name);
    if (!watch || watch.isOver) {
      watch = { end: new AbortController(), version: undefined, waiting: new Set(), callers: 0, isOver: false };
      this.#open.set(name, watch);
      void this.#follow(name, watch);
    }
    watch.callers += 1;
    return watch;
  }

  #leave(name: string, watch: OpenWatch): void {
    watch.callers -= 1;
    if (watch.callers > 0) return;
    watch.end.abort();
    if (this.#open.get(name) === watch) this.#open.delete(name);
  }

  async #follow(name: string, watch: OpenWatch): Promise<void> {
    try {
      const events = this.#options.client.watch(CustomResourceDefinition, {
        fieldSelector: `metadata.name=${name}`,
        timeoutSeconds: WATCH_SECONDS,
        signal: watch.end.signal,
      });
      for await (const { type, object } of events) {
        if (type === 'ERROR') break;
        if (type === 'BOOKMARK') continue;
        watch.version = type === 'DELETED' ? undefined : object.metadata.resourceVersion;
        for (const wake of watch.waiting) wake();
      }
    } catch {
      // The watch was refused or broken. The next caller retries.
    }
    watch.isOver = true;
  }
}

async function nextEvent({ waiting }: OpenWatch, signal: AbortSignal): Promise<void> {
  const event = Promise.withResolvers<void>();
  waiting.add(event.resolve);
  try {
    await orAborted(event.promise, signal);
  } finally {
    waiting.delete(event.resolve);
  }
}

/** Returns the name of the definition of a kind: its plural and group. Guesses the plural if the kind has none. */
function definitionName({ apiVersion, kind, plural = usualPlural(kind) }: Kind<KubernetesObject>): string | undefined {
  const { group } = parseApiVersion(apiVersion);
  // API servers refuse definitions in a group without a dot.
  return group.includes('.') ? `${plural}.${group}` : undefined;
}

/** Guesses the plural of a kind. (Upstream: `apimachinery/pkg/api/meta.UnsafeGuessKindToResource`.) */
function usualPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('endpoints')) return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
