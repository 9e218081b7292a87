import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import { BinariesHost } from './binaries/binaries-host.ts';
import { backendSchema, chooseBackend } from './backend.ts';
import { clusterOptionsSchema, createEmbeddedApiServer, serverOptionsSchema } from './embedded-api-server.ts';
import { KindHost } from './kind/kind-host.ts';

import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';
import type { EmbeddedApiServerOptions, EmbeddedClusterOptions } from './embedded-api-server.ts';
import { ExistingControlPlane } from './existing-control-plane.ts';
import { Installation, installOptionsSchema } from './install/installation.ts';

const optionsSchema = z.strictObject({
  ...serverOptionsSchema.shape,
  ...clusterOptionsSchema.partial({ name: true }).shape,
  ...installOptionsSchema.shape,
  backend: backendSchema,
  existing: z.boolean().default(false),
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
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
 * @param options.crdPaths files and directories with CustomResourceDefinitions to install.
 * @param options.webhooks webhook configurations to install. Those that call a Service call a local address instead.
 * @param options.controllers whether objects are garbage-collected, namespaces deleted and roles aggregated. Default:
 *   true with the embedded server.
 * @param options.existing whether to use the cluster of a kubeconfig. It is not stopped. Default: false.
 * @param options.kubeconfig path of that kubeconfig. Default: as for kubectl.
 * @param options.context context of that kubeconfig. Default: its current context.
 * @throws {UnsupportedBackendError} if `$MCR_BACKEND` is not the name of a backend.
 * @throws {TypeError} if an option is unknown or invalid, or the backend does not support it.
 * @throws {Error} that names the port if it is in use, or with the end of its log if a program does not start.
 */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const parsed = parseOptions('createControlPlane', optionsSchema, options);
  const backend = parsed.existing ? 'existing' : chooseBackend(parsed.backend);
  refuseOptions(backend, options);
  const installation = await Installation.read(parsed);
  let controlPlane: ControlPlane | undefined;
  try {
    controlPlane = await start(backend, parsed, installation);
    await installation.installInto(controlPlane.config);
    return controlPlane;
  } catch (error) {
    await (controlPlane ? controlPlane.stop() : installation.remove());
    throw error;
  }
}

type ParsedOptions = z.infer<typeof optionsSchema>;

async function start(
  backend: keyof typeof REFUSED,
  options: ParsedOptions,
  installation: Installation,
): Promise<ControlPlane> {
  const { name = 'control-plane', port, crds, ...server } = options;
  const { dataDir, historyLimit, bookmarkInterval, featureGates, services, controllers } = server;
  switch (backend) {
    case 'existing': {
      const { kubeconfig, context } = options;
      const place = { name: options.name ?? 'existing', kubeconfig, context };
      const existing = await ExistingControlPlane.connect({ ...place, installation });
      await existing.install(crds);
      return existing;
    }
    case 'kind':
      return new KindHost().create({ name, crds }, installation);
    case 'binaries':
      return new BinariesHost({ dataDir, featureGates }).create({ name, port, crds }, installation);
    case 'embedded':
      return startEmbedded(
        { dataDir, historyLimit, bookmarkInterval, featureGates, services, controllers },
        { name, port, crds },
        installation,
      );
  }
}

async function startEmbedded(
  serverOptions: EmbeddedApiServerOptions,
  { name, port, crds }: EmbeddedClusterOptions,
  installation: Installation,
): Promise<ControlPlane> {
  const server = await createEmbeddedApiServer(serverOptions);
  try {
    const stop = async (): Promise<void> => {
      await server.stop();
      await installation.remove();
    };
    return await server.createCluster({ name, port, crds }, { stop, webhooks: installation.webhooks });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Options that only an existing cluster has. */
const OF_EXISTING = ['kubeconfig', 'context'] as const;

/** Options of a server that is started. */
const OF_SERVER = ['dataDir', 'historyLimit', 'bookmarkInterval', 'featureGates', 'services', 'controllers'] as const;

/** Options that a backend does not support. */
const REFUSED = {
  embedded: OF_EXISTING,
  binaries: ['historyLimit', 'bookmarkInterval', 'services', 'controllers', ...OF_EXISTING],
  kind: ['port', ...OF_SERVER, ...OF_EXISTING],
  existing: ['backend', 'port', ...OF_SERVER],
} as const;

/** @throws {TypeError} that names an option that the backend does not support. */
export function refuseOptions(
  backend: keyof typeof REFUSED,
  options: Partial<Record<keyof ControlPlaneOptions, unknown>>,
): void {
  for (const option of REFUSED[backend]) {
    if (options[option] === undefined) continue;
    throw new TypeError(refusal(backend, option));
  }
}

function refusal(backend: keyof typeof REFUSED, option: string): string {
  const name = JSON.stringify(option);
  if (backend === 'existing') return `an existing cluster does not support the option ${name}: remove it`;
  if (OF_EXISTING.some((other) => other === option)) return `the option ${name} needs "existing: true"`;
  return `backend "${backend}" does not support the option ${name}: use backend "embedded"`;
}
