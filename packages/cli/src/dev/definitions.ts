import { setTimeout as sleep } from 'node:timers/promises';
import { type CrdManifest, createClient, CustomResourceDefinition } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import type { Say } from './say.ts';

/** Keeps the definitions of the clusters of a fleet as the kinds of the program are. Objects are kept. */
export class Definitions {
  readonly #fleet: ControlPlaneFleet;
  readonly #say: Say;
  readonly #signal: AbortSignal;
  /** JSON of the definitions that were last installed, by name. */
  readonly #installed: Map<string, string>;
  /** Several replicas have the same kinds. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    fleet: ControlPlaneFleet,
    options: { readonly installed: readonly CrdManifest[]; readonly say: Say; readonly signal: AbortSignal },
  ) {
    this.#fleet = fleet;
    this.#say = options.say;
    this.#signal = options.signal;
    this.#installed = new Map(options.installed.map((each) => [each.metadata.name, JSON.stringify(each)]));
  }

  /** Installs the definitions that have changed. Reports those that an API server refuses. */
  install(definitions: readonly CrdManifest[]): Promise<void> {
    this.#last = this.#last.then(async () => {
      for (const definition of definitions) {
        if (!this.#signal.aborted) await this.#installChanged(definition);
      }
    });
    return this.#last;
  }

  async #installChanged(definition: CrdManifest): Promise<void> {
    const { name } = definition.metadata;
    const text = JSON.stringify(definition);
    if (this.#installed.get(name) === text) return;
    this.#installed.set(name, text);
    const { hub, members } = this.#fleet;
    const results = await Promise.allSettled(
      [hub, ...members].map((controlPlane) => put(controlPlane, definition, this.#signal)),
    );
    if (this.#signal.aborted) return;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) {
      // Installed again after the next change, also if the kind is as before.
      this.#installed.delete(name);
      this.#say.problem(`${name}: ${(failure.reason as Error).message}: the clusters keep the previous kind`);
    } else {
      this.#say.step(
        `${name} changed: installed in ${results.length} ${results.length === 1 ? 'cluster' : 'clusters'}`,
      );
    }
  }
}

/** Interval and deadline of the wait for a definition to be served, in milliseconds. */
const POLL_INTERVAL = 50;
const SERVED_DEADLINE = 10_000;

/** Creates or replaces a definition, and waits until its kind is served. @throws {Error} with the message of the API server. */
async function put({ config }: ControlPlane, definition: CrdManifest, signal: AbortSignal): Promise<void> {
  await using client = createClient(config);
  const { name } = definition.metadata;
  const written = definition as unknown as CustomResourceDefinition;
  const present = await client.find(CustomResourceDefinition, { name }, { signal });
  if (!present) {
    await client.create(CustomResourceDefinition, written, { signal });
  } else {
    // The program sets the conversion of kinds with several versions.
    const { metadata, spec } = present;
    const conversion = spec.conversion && { conversion: spec.conversion };
    await client.update(
      CustomResourceDefinition,
      { ...written, metadata, spec: { ...conversion, ...written.spec } },
      { signal },
    );
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SERVED_DEADLINE)]);
  for (;;) {
    const { status } = await client.get(CustomResourceDefinition, { name }, { signal: limit });
    const conditions = status?.conditions ?? [];
    if (conditions.some(({ type, status: value }) => type === 'Established' && value === 'True')) return;
    const refused = conditions.find(({ type, status: value }) => type === 'NamesAccepted' && value === 'False');
    if (refused) throw new Error(refused.message ?? 'its names are not accepted');
    await sleep(POLL_INTERVAL, undefined, { signal: limit });
  }
}
