import { setTimeout as delay } from 'node:timers/promises';
import { shortened } from '@mcr/client';
import type { ApiClient, ClusterConfig, DeepReadonly } from '@mcr/core';
import { isConflict, isNotFound, Namespace } from '@mcr/core';
import { ClusterContent, contentText } from './cluster-content.ts';

/** The finalizer of the namespace controller, in `spec.finalizers`. */
const FINALIZER = 'kubernetes';

/**
 * How long a namespace controller may take to begin with a deleted namespace, in milliseconds. That of
 * kube-controller-manager waits 5 s for other API servers, and sets a condition in `status.conditions` when it begins.
 */
const CONTROLLER_GRACE = 30_000;

/** How long the removal of namespaces may take as a whole, in milliseconds. */
const REMOVAL = 150_000;

const POLL = 250;

/** Maximum number of objects named in an error. */
const NAMED = 5;

export interface RemovalOptions {
  /** Milliseconds to wait for a namespace controller. Default: 30,000. */
  readonly grace?: number;
  /** Milliseconds. Default: 150,000. */
  readonly within?: number;
}

/**
 * Resolves once deleted namespaces are gone. Where no namespace controller begins with a namespace in time, as on an API
 * server without kube-controller-manager, deletes the namespace's content and finalizes it.
 *
 * @param names namespaces that belong to runs, and are being deleted.
 * @throws {Error} that names what holds a namespace, if one is not gone in time.
 */
export async function namespacesRemoved(
  { client, config }: { readonly client: ApiClient; readonly config: ClusterConfig },
  names: readonly string[],
  { grace = CONTROLLER_GRACE, within = REMOVAL }: RemovalOptions = {},
): Promise<void> {
  const started = performance.now();
  await using stack = new AsyncDisposableStack();
  let content: ClusterContent | undefined;
  for (;;) {
    const found = await Promise.all(names.map((name) => client.find(Namespace, { name })));
    const left = found.filter((namespace) => namespace !== undefined);
    if (left.length === 0) return;
    const elapsed = performance.now() - started;
    const unattended = elapsed < grace ? [] : left.filter((namespace) => !isAttended(namespace));
    for (const namespace of unattended) {
      content ??= stack.use(await ClusterContent.open(config));
      await removeWithoutController(client, content, namespace);
    }
    if (elapsed > within) throw new Error(await reasonOf(left, content, within));
    await delay(POLL);
  }
}

/** A namespace controller sets conditions as soon as it begins with a namespace, and updates them until it is empty. */
function isAttended({ status }: DeepReadonly<Namespace>): boolean {
  return (status?.conditions ?? []).length > 0;
}

/** Deletes the content of a namespace. Finalizes the namespace if it is empty. */
async function removeWithoutController(
  client: ApiClient,
  content: ClusterContent,
  namespace: DeepReadonly<Namespace>,
): Promise<void> {
  const { metadata, spec } = namespace;
  if (metadata.deletionTimestamp === undefined) return;
  const objects = await content.list(metadata.name);
  for (const object of objects) await content.delete(object);
  if (objects.length > 0) return;
  const finalizers = (spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  try {
    // The resource version in `metadata` makes this fail if a controller has changed the namespace meanwhile.
    const finalized = { ...namespace, spec: { ...spec, finalizers } };
    await client.subresource('finalize', Namespace).update(Namespace, { name: metadata.name }, finalized);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function reasonOf(
  left: readonly DeepReadonly<Namespace>[],
  content: ClusterContent | undefined,
  within: number,
): Promise<string> {
  const holders = await Promise.all(
    left.map(async (namespace) => {
      const { name } = namespace.metadata;
      if (isAttended(namespace) || content === undefined) {
        const conditions = (namespace.status?.conditions ?? []).filter(({ status }) => status === 'True');
        return `${name} (${shortened(conditions.map(({ message }) => message ?? '').join('; ')) || 'no condition set'})`;
      }
      const objects = await content.list(name);
      const named = objects.slice(0, NAMED).map(contentText).join(', ');
      return `${name} (${objects.length} objects: ${named}${objects.length > NAMED ? ', ...' : ''})`;
    }),
  );
  return (
    `namespaces are not gone within ${within} ms: ${holders.join(', ')}: ` +
    `remove the finalizers of these objects, then run pnpm e2e clean`
  );
}
