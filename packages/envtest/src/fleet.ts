import { z } from 'zod';
import { backendSchema, chooseBackend } from './backend.ts';
import type { ControlPlane } from './control-plane.ts';
import { refuseEmbeddedOptions } from './control-plane.ts';
import { clusterOptionsSchema, EmbeddedApiServer, serverOptionsSchema } from './embedded-api-server.ts';
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
 * Starts a fleet of control planes, all served by one process; or, of backend `kind`, of Kind clusters.
 *
 * @param options.members how many.
 * @param options.crds CustomResourceDefinitions that each of them begins with.
 * @throws {UnsupportedBackendError} for a backend other than `embedded` and `kind`.
 * @throws {TypeError} for an option that the backend does not have.
 */
export async function startFleet(options: FleetOptions): Promise<ControlPlaneFleet> {
  const { backend, hub: _, members: count, crds, ...serverOptions } = optionsSchema.parse(options);
  const isKind = chooseBackend(backend) === 'kind';
  if (isKind) refuseEmbeddedOptions(options);
  const server = isKind ? new KindHost() : await EmbeddedApiServer.start(serverOptions);
  const create = (name: string): Promise<ControlPlane> =>
    server instanceof KindHost ? server.create({ name, crds }) : server.createCluster({ name, crds });
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
