import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import { BinariesHost } from './binaries/binaries-host.ts';
import { backendSchema, chooseBackend } from './backend.ts';
import { clusterOptionsSchema, createEmbeddedApiServer, serverOptionsSchema } from './embedded-api-server.ts';
import { KindHost } from './kind/kind-host.ts';

import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';

const optionsSchema = z.strictObject({
  ...serverOptionsSchema.shape,
  ...clusterOptionsSchema.partial({ name: true }).shape,
  backend: backendSchema,
} satisfies Record<keyof ControlPlaneOptions, z.ZodType>);

/**
 * Starts a control plane in separate processes, which end with this process: the embedded server or, with backend
 * `binaries`, an etcd and a kube-apiserver. With backend `kind` it starts a Kind cluster, which exists until `stop()`.
 *
 * @param options.backend default: `auto`, which is `$MCR_BACKEND`, else `binaries` if `$KUBEBUILDER_ASSETS` is set,
 *   else `embedded`.
 * @param options.name default: `control-plane`.
 * @param options.port port on 127.0.0.1. Default: a free one.
 * @param options.crds CustomResourceDefinitions to install.
 * @throws {UnsupportedBackendError} if `$MCR_BACKEND` is not the name of a backend.
 * @throws {TypeError} if an option is unknown or invalid, or the backend does not support it.
 * @throws {Error} that names the port if it is in use, or with the end of its log if a program does not start.
 */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const {
    backend,
    name = 'control-plane',
    port,
    crds,
    ...serverOptions
  } = parseOptions('createControlPlane', optionsSchema, options);
  const chosen = chooseBackend(backend);
  refuseOptions(chosen, options);
  if (chosen === 'kind') return new KindHost().create({ name, crds });
  if (chosen === 'binaries') return new BinariesHost(serverOptions).create({ name, port, crds });
  const server = await createEmbeddedApiServer(serverOptions);
  try {
    return await server.createCluster({ name, port, crds }, () => server.stop());
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Options that a backend does not support. */
const REFUSED = {
  embedded: [],
  binaries: ['historyLimit', 'bookmarkInterval'],
  kind: ['port', 'dataDir', 'historyLimit', 'bookmarkInterval', 'featureGates'],
} as const;

/** @throws {TypeError} that names an option that the backend does not support. */
export function refuseOptions(
  backend: keyof typeof REFUSED,
  options: Partial<Record<keyof ControlPlaneOptions, unknown>>,
): void {
  for (const option of REFUSED[backend]) {
    if (options[option] === undefined) continue;
    throw new TypeError(
      `backend "${backend}" does not support the option ${JSON.stringify(option)}: use backend "embedded"`,
    );
  }
}
