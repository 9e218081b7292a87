import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { Backend } from './backend.ts';
import { backendSchema, chooseBackend } from './backend.ts';
import { BinariesHost } from './binaries/binaries-host.ts';
import type { ControlPlane } from './control-plane.ts';
import { refuseOptions } from './create-control-plane.ts';
import type { EmbeddedApiServerOptions, EmbeddedClusterOptions } from './embedded-api-server.ts';
import { clusterOptionsSchema, createEmbeddedApiServer, serverOptionsSchema } from './embedded-api-server.ts';
import { Installation, type InstallOptions, installOptionsSchema } from './install/installation.ts';
import { KindHost } from './kind/kind-host.ts';

/** Options of {@link createControlPlaneFleet}. */
export interface FleetOptions
  extends EmbeddedApiServerOptions, Pick<EmbeddedClusterOptions, 'crds'>, Pick<InstallOptions, 'crdPaths'> {
  /** Number of members. */
  readonly members: number;
  /** A fleet always has a hub. For control planes without one, call `createControlPlane` for each. Default: true. */
  readonly hub?: true | undefined;
  /** Default: `auto`. */
  readonly backend?: Backend | undefined;
}

const optionsSchema = z.strictObject({
  ...serverOptionsSchema.shape,
  crds: clusterOptionsSchema.shape.crds,
  crdPaths: installOptionsSchema.shape.crdPaths,
  backend: backendSchema,
  hub: z.literal(true).default(true),
  members: z.int().min(0),
} satisfies Record<keyof FleetOptions, z.ZodType>);

/** A hub and members, for testing a multi-cluster controller that discovers the members through the hub. */
export interface ControlPlaneFleet extends AsyncDisposable {
  readonly hub: ControlPlane;
  /** `member-1`, `member-2` and so on, and members that were added later. */
  readonly members: readonly ControlPlane[];
  /** @throws {Error} if the fleet already has a control plane with this name. */
  addMember(name: string): Promise<ControlPlane>;
  /** Stops all control planes of the fleet. */
  stop(): Promise<void>;
}

/**
 * Starts a fleet of control planes. The embedded backend serves all of them from one process. With backend `binaries`,
 * each has an etcd and a kube-apiserver; with backend `kind`, each is a Kind cluster.
 *
 * @param options.members number of members.
 * @param options.crds CustomResourceDefinitions installed in each control plane.
 * @param options.crdPaths files and directories with CustomResourceDefinitions installed in each control plane.
 * @throws {UnsupportedBackendError} if `$MCR_BACKEND` is not the name of a backend.
 * @throws {TypeError} if an option is unknown or invalid, or the backend does not support it.
 */
export async function createControlPlaneFleet(options: FleetOptions): Promise<ControlPlaneFleet> {
  const {
    backend,
    hub: _,
    members: count,
    crds,
    crdPaths,
    ...serverOptions
  } = parseOptions('createControlPlaneFleet', optionsSchema, options);
  const chosen = chooseBackend(backend);
  refuseOptions(chosen, options);
  const installation = await Installation.read({ crdPaths });
  const server = await startHost(chosen, serverOptions);
  const create = async (name: string): Promise<ControlPlane> => {
    const controlPlane = await server.create({ name, crds });
    await installation.installInto(controlPlane.config);
    return controlPlane;
  };
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

/** Creates the control planes of one backend. */
interface Host {
  create(options: EmbeddedClusterOptions): Promise<ControlPlane>;
  stop(): Promise<void>;
}

async function startHost(backend: Exclude<Backend, 'auto'>, options: EmbeddedApiServerOptions): Promise<Host> {
  switch (backend) {
    case 'kind':
      return new KindHost();
    case 'binaries':
      return new BinariesHost(options);
    case 'embedded': {
      const server = await createEmbeddedApiServer(options);
      return { create: (cluster) => server.createCluster(cluster), stop: () => server.stop() };
    }
  }
}
