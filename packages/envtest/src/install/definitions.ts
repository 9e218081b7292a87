import type { Manifest } from '@mcr/apiserver/manifests';
import type { ApiClient } from '@mcr/client';
import { CustomResourceDefinition, defineKind, isNotFound, sleep, systemClock } from '@mcr/client';
import { ensureObject } from './ensure-object.ts';

/** Interval between two polls, and the deadline for a definition to be served, in milliseconds. */
const POLL_INTERVAL = 50;
const DEADLINE = 30_000;

/**
 * Installs definitions, or updates those that exist, and resolves once their kinds are served.
 *
 * @throws {Error} that names the source of a definition that the API server refuses or does not establish within 30 s.
 */
export async function installDefinitions(client: ApiClient, definitions: readonly Manifest[]): Promise<void> {
  for (const definition of definitions) await ensureObject(client, definition);
  for (const definition of definitions) await established(client, definition);
}

async function established(client: ApiClient, { object, source }: Manifest): Promise<void> {
  const deadline = AbortSignal.timeout(DEADLINE);
  for (;;) {
    const { spec, status } = await client.get(CustomResourceDefinition, { name: object.metadata.name });
    const conditions = status?.conditions ?? [];
    const rejected = conditions.find(({ type, status: value }) => type === 'NamesAccepted' && value === 'False');
    if (rejected) throw new Error(`${source}: names are not accepted: ${rejected.message ?? ''}`);
    const isEstablished = conditions.some(({ type, status: value }) => type === 'Established' && value === 'True');
    const version = spec.versions.find(({ served }) => served)?.name;
    if (isEstablished && version === undefined) return;
    if (isEstablished && version !== undefined) {
      // After a definition is established, it takes a moment until its kind is served.
      // With plural and scope, the client does not discover the kind, which it repeats only every 10 s.
      const { group, names } = spec;
      const scope = spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced';
      const { kind: name, plural } = names;
      const kind = defineKind({ apiVersion: `${group}/${version}`, kind: name, plural, scope });
      const isServed = await client.list(kind, { limit: 1, signal: deadline }).then(
        () => true,
        (error: unknown) => !isNotFound(error),
      );
      if (isServed) return;
    }
    if (deadline.aborted) {
      throw new Error(`${source}: CustomResourceDefinition is not established within ${DEADLINE} ms: see its status`);
    }
    await sleep(systemClock, POLL_INTERVAL, new AbortController().signal);
  }
}
