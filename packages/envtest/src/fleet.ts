import { parseOptions } from '@mcr/client';
import { z } from 'zod';
import type { Backend } from './backend.ts';
import { backendSchema, chooseBackend } from './backend.ts';
import { BinariesHost } from './binaries/binaries-host.ts';
import type { ControlPlane } from './control-plane.ts';
import { refuseOptions } from './control-plane.ts';
import type { EmbeddedApiServerOptions, EmbeddedClusterOptions } from './embedded-api-server.ts';
import { clusterOptionsSchema, createEmbeddedApiServer, serverOptionsSchema } from './embedded-api-server.ts';
import { KindHost } from './kind/kind-host.ts';

const optionsSchema = z.strictObject({
  ...serverOptionsSchema.shape,
  crds: clusterOptionsSchema.shape.crds,
  backend: backendSchema,
  /** A fleet without a hub is a number of control planes. */
  hub: z.literal(true).default(true),
  members: z.int().min(0),
});

export type FleetOptions = z.input<typeof optionsSchema>;

/** A hub, and the members that a multi-cluster controller is to find through it. */
export interface ControlPlaneFleet extends AsyncDisposable {
  readonly hub: ControlPlane;
  /** `member-1` and so on, and those added later. */
  readonly members: readonly ControlPlane[];
  /** @throws {Error} when the fleet has a control plane of that name. */
  addMember(name: string): Promise<ControlPlane>;
  /** Ends all of them. */
  stop(): Promise<void>;
}

/**
 * Starts a fleet of control planes, all served by one process; or, of backend `binaries`, each by two of its own; or, of
 * backend `kind`, of Kind clusters.
 *
 * @param options.members how many.
 * @param options.crds CustomResourceDefinitions that each of them begins with.
 * @throws {UnsupportedBackendError} when `$MCR_BACKEND` names none.
 * @throws {TypeError} for an option that is unknown or wrong, or that the backend does not have.
 */
export async function createControlPlaneFleet(options: FleetOptions): Promise<ControlPlaneFleet> {
  const {
    backend,
    hub: _,
    members: count,
    crds,
    ...serverOptions
  } = parseOptions('createControlPlaneFleet', optionsSchema, options);
  const chosen = chooseBackend(backend);
  refuseOptions(chosen, options);
  const server = await startHost(chosen, serverOptions);
  const create = (name: string): Promise<ControlPlane> => server.create({ name, crds });
  try {
    const hub = await create('hub');
    const members = await Promise.all(Array.from({ length: count }, (_, index) => create(`member-${index + 1}`)));
    return {
      hub,
      members,
      async addMember(name) {
        const member = await create(name);
        members.push(member);
        return member;
      },
      stop: () => server.stop(),
      [Symbol.asyncDispose]: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** What control planes of one backend are made by. */
interface Host {
  create(options: EmbeddedClusterOptions): Promise<ControlPlane>;
  stop(): Promise<void>;
}

async function startHost(backend: Exclude<Backend, 'auto'>, options: EmbeddedApiServerOptions): Promise<Host> {
  switch (backend) {
    case 'kind':
      return new KindHost();
    case 'binaries':
      return new BinariesHost(options.dataDir);
    case 'embedded': {
      const server = await createEmbeddedApiServer(options);
      return { create: (cluster) => server.createCluster(cluster), stop: () => server.stop() };
    }
  }
}
