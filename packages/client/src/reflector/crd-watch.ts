import type { Client } from '../client/client.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { rejectWhenAborted } from '../clock/until-aborted.ts';
import { defineKind, parseApiVersion, partialMetadata, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { RestMapper } from '../kinds/rest-mapper.ts';

const CustomResourceDefinition = partialMetadata(
  defineKind({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    scope: 'Cluster',
  }),
);

/** How long the server is asked to keep the watch open, in seconds. */
const WATCH_SECONDS = 300;

interface OpenWatch {
  readonly end: AbortController;
  /** Of the latest event; `undefined` before the first, and once it is deleted. */
  version: string | undefined;
  /** Callers that wait for the next event. */
  readonly waiting: Set<() => void>;
  callers: number;
  isOver: boolean;
}

export interface CrdWatchOptions {
  readonly client: Pick<Client, 'watch'>;
  /** Forgets what it knows of a kind whose definition exists. */
  readonly restMapper?: Pick<RestMapper, 'forget'> | undefined;
}

/**
 * Notices that the CustomResourceDefinition of a kind which a cluster does not serve is created or changed. Watches the
 * metadata of that one definition, for all callers together, and only while somebody waits. Where the watch is refused
 * (it needs the verb `watch` on `customresourcedefinitions`), callers are left to their own backoff.
 */
export class CrdWatch {
  readonly #options: CrdWatchOptions;
  /** By the name of the definition. */
  readonly #open = new Map<string, OpenWatch>();

  constructor(options: CrdWatchOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the version of the definition of `kind` as soon as it is another one than `known`.
   *
   * @throws the signal's reason, when `signal` aborts first.
   */
  async changed(kind: Kind<KubernetesObject>, known: string | undefined, signal: AbortSignal): Promise<string> {
    const name = definitionName(kind);
    if (name === undefined) return rejectWhenAborted(signal);
    const watch = this.#join(name);
    try {
      while (watch.version === undefined || watch.version === known) await nextEvent(watch, signal);
      return watch.version;
    } finally {
      // Discovery lags a little behind the definition: what it says of a kind that is being installed is soon wrong.
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
      // Refused or broken. The next caller tries again.
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

/** The name that a definition of the kind has: its plural and group. A kind without a plural is given the usual one. */
function definitionName({ apiVersion, kind, plural = usualPlural(kind) }: Kind<KubernetesObject>): string | undefined {
  const { group } = parseApiVersion(apiVersion);
  // The API server takes no definition of a group without a dot.
  return group.includes('.') ? `${plural}.${group}` : undefined;
}

/** (Upstream: `apimachinery/pkg/api/meta.UnsafeGuessKindToResource`.) */
function usualPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('endpoints')) return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
