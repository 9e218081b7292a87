import { pathToFileURL } from 'node:url';
import { createManager, type DeclaredPermission, type ManagerOptions } from '@mcr/core';
import { foundText, parseApiVersion, parseBindAddress } from '@mcr/core/provider';
import { crdOf, KindVersions } from '@mcr/kinds';
import { checkConfig, type McrConfig } from './mcr-config.ts';
import {
  POD_NAMESPACE,
  type Project,
  type ProjectMetrics,
  type ProjectPermission,
  type ReplicaMode,
} from './project.ts';
import type { Stage } from './project-message.ts';

/** Stands for the local cluster. A manager that does not start opens no connection. */
const LOCAL = { server: 'https://kubernetes.default.svc' };
const DEFAULT_WEBHOOK_PORT = 9443;
/** Limit of a shutdown without one (`gracefulShutdownTimeout: -1`), in seconds. Kubernetes needs a number. */
const LONGEST_SHUTDOWN = 3600;

/**
 * Imports a config, and describes its program.
 *
 * @param file absolute path of the config.
 * @param onStage called before each stage.
 * @throws {Error} that says what is wrong with the config and what to do.
 */
export async function describeProject(file: string, onStage: (stage: Stage) => void): Promise<Project> {
  onStage('import');
  const config = await importConfig(file);
  setVariables(config);
  return describeConfig(file, config, onStage);
}

/** Sets the variables of the Deployment, because options may depend on them. Those that this process has remain. */
function setVariables(config: unknown): void {
  const { deploy } = Object(config) as Partial<McrConfig>;
  for (const [name, value] of Object.entries(deploy?.env ?? {})) process.env[name] ??= value;
}

/** Creates the manager of a config without a connection, and calls its `setup`. It does not start the manager. */
export async function describeConfig(
  file: string,
  config: unknown,
  onStage: (stage: Stage) => void = () => undefined,
): Promise<Project> {
  if (typeof config !== 'object' || config === null) {
    throw new Error(
      `${file}: expected a default export such as "export default { name, manager, setup } satisfies McrConfig", found ${foundText(config)}`,
    );
  }
  checkConfig(file, config);
  onStage('manager()');
  const options = await named(`${file}: manager()`, () => config.manager());
  const manager = await named(`${file}: manager()`, () => createManager(placed(options)));
  onStage('setup()');
  await named(`${file}: setup()`, () => config.setup(manager));
  const replicas = replicaMode(options);
  checkReplicas(file, config, replicas);
  const { name, namespace = name, kinds = [], webhooks, deploy = {} } = config;
  const healthPort = reachablePort(options.health?.bindAddress);
  const metrics = metricsOf(options);
  return {
    name,
    namespace,
    definitions: kinds.map((kind) => crdOf(kind, kind instanceof KindVersions ? { conversion: 'external' } : {})),
    permissions: manager.permissions.list().map((permission) => permissionOf(file, permission)),
    replicas,
    hasProvider: options.provider !== undefined,
    ...(healthPort !== undefined && { healthPort }),
    ...(metrics && { metrics }),
    ...(webhooks && { webhookPort: webhooks.port ?? DEFAULT_WEBHOOK_PORT }),
    shutdownSeconds: shutdownSeconds(options),
    deploy,
  };
}

async function importConfig(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return module.default;
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}${advice(cause as NodeJS.ErrnoException)}`, { cause });
  }
}

/** Says what to do about errors of Node.js that are frequent in TypeScript files. */
function advice({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ERR_MODULE_NOT_FOUND':
      return /\.js'|\/[^./']+'/u.test(message)
        ? ': Node.js runs TypeScript without a build: write imports with the extension .ts, and install the dependencies'
        : ': install the dependencies';
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
    case 'ERR_INVALID_TYPESCRIPT_SYNTAX':
      return ': Node.js removes types only: set erasableSyntaxOnly in tsconfig.json, and avoid enums and parameter properties';
    default:
      return '';
  }
}

async function named<Value>(subject: string, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : foundText(cause);
    throw new Error(`${subject}: ${text}`, { cause });
  }
}

/** Returns the options of a manager in a Pod that has no connection. */
function placed(options: ManagerOptions): ManagerOptions {
  const { config, leaderElection, sharding } = options;
  return {
    ...options,
    config: config === 'none' ? 'none' : LOCAL,
    ...(leaderElection && { leaderElection: { namespace: POD_NAMESPACE, ...leaderElection } }),
    ...(sharding && { sharding: { namespace: POD_NAMESPACE, ...sharding } }),
  };
}

function replicaMode({ leaderElection, sharding }: ManagerOptions): ReplicaMode {
  if (sharding) return 'sharding';
  return leaderElection ? 'leader-election' : 'single';
}

function checkReplicas(file: string, { deploy }: McrConfig, mode: ReplicaMode): void {
  const count = deploy?.replicas ?? 1;
  if (mode !== 'single' || count === 1) return;
  throw new Error(
    `${file}: option "deploy.replicas": ${count} replicas would all reconcile the same clusters: set leaderElection or sharding in manager(), or remove the option`,
  );
}

/** Returns the port of an address that other machines can reach. */
function reachablePort(text: string | undefined): number | undefined {
  const address = text === undefined ? null : parseBindAddress(text);
  if (address === null || address === 'nowhere') return undefined;
  const { host, port } = address;
  return host === undefined || /^(?:0\.0\.0\.0|::)$/u.test(host) ? port : undefined;
}

function metricsOf({ metrics = {} }: ManagerOptions): ProjectMetrics | undefined {
  const port = reachablePort(metrics.bindAddress ?? ':8080');
  if (port === undefined) return undefined;
  return { port, scheme: metrics.certificate ? 'https' : 'http', needsToken: metrics.access === 'authorized' };
}

/** The defaults are those of `createManager`. */
function shutdownSeconds({ gracefulShutdownTimeout, sharding }: ManagerOptions): number {
  const { warmTimeout = 60_000, drainTimeout = 10_000 } = sharding ?? {};
  const time = gracefulShutdownTimeout ?? (sharding ? warmTimeout + drainTimeout + 5_000 : 30_000);
  return time === -1 ? LONGEST_SHUTDOWN : Math.ceil(time / 1000);
}

function permissionOf(file: string, { kind, ...permission }: DeclaredPermission): ProjectPermission {
  if (kind.plural === undefined) {
    throw new Error(
      `${file}: ${permission.neededBy}: the kind ${kind.kind} of ${kind.apiVersion} has no plural, and RBAC names kinds by it: set plural where the kind is defined`,
    );
  }
  const { group } = parseApiVersion(kind.apiVersion);
  return { ...permission, group, resource: kind.plural, isClusterScoped: kind.scope === 'Cluster' };
}
