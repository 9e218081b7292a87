import { fileURLToPath, pathToFileURL } from 'node:url';
import { createManager, type DeclaredPermission, type Manager, type ManagerOptions } from '@mcr/core';
import { foundText, parseApiVersion, parseBindAddress, pluralOf } from '@mcr/core/provider';
import { definitionsOf } from './definitions.ts';
import { checkConfig, type McrConfig } from './mcr-config.ts';
import {
  type LocalEndpoints,
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
  const { name, namespace = name, webhooks, deploy = {} } = config;
  const healthPort = reachablePort(options.health?.bindAddress);
  const metrics = metricsOf(manager, options);
  return {
    name,
    namespace,
    definitions: definitionsOf(config),
    permissions: await named(file, () => manager.permissions.list().map(permissionOf)),
    replicas,
    hasProvider: options.provider !== undefined,
    ...(healthPort !== undefined && { healthPort }),
    ...(metrics && { metrics }),
    ...(webhooks && { webhookPort: webhooks.port ?? DEFAULT_WEBHOOK_PORT }),
    local: localEndpoints(manager, options),
    shutdownSeconds: shutdownSeconds(manager),
    deploy,
  };
}

async function importConfig(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return module.default;
  } catch (cause) {
    const error = cause as NodeJS.ErrnoException;
    throw new Error(`${placeOf(error) ?? file}: ${error.message}${advice(error)}`, { cause });
  }
}

/** A line of a stack that names a file and a line: the place of a syntax error, or a call. */
const PLACE = /^(?: +at (?:.*\()?)?(?<file>(?:file:\/\/|\/)[^()]*?):(?<line>\d+)(?::\d+)?\)?$/gmu;

/** Returns the file and line of the project where its import failed, if Node.js says it: the config imports other files. */
function placeOf({ stack = '' }: Error): string | undefined {
  for (const { groups: { file = '', line } = {} } of stack.matchAll(PLACE)) {
    const path = file.startsWith('file://') ? fileURLToPath(file) : file;
    if (path === import.meta.filename) return undefined;
    if (!path.includes('/node_modules/')) return `${path}:${line}`;
  }
  return undefined;
}

/** Says what to do about errors of Node.js that are frequent in TypeScript files. */
function advice({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ERR_MODULE_NOT_FOUND':
      return /\.js'|\/[^./']+'/u.test(message)
        ? ': Node.js runs TypeScript without a build: write imports with the extension .ts, and install the dependencies'
        : ': install the dependencies';
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
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

function metricsOf({ metricsAddress }: Manager, { metrics = {} }: ManagerOptions): ProjectMetrics | undefined {
  const port = reachablePort(metricsAddress);
  if (port === undefined) return undefined;
  return { port, scheme: metrics.certificate ? 'https' : 'http', needsToken: metrics.access === 'authorized' };
}

function localEndpoints({ metricsAddress }: Manager, { health, metrics = {} }: ManagerOptions): LocalEndpoints {
  const healthUrl = localUrl(health?.bindAddress, 'http');
  const metricsUrl = localUrl(metricsAddress, metrics.certificate ? 'https' : 'http');
  return {
    ...(healthUrl !== undefined && { health: healthUrl }),
    ...(metricsUrl !== undefined && { metrics: metricsUrl }),
  };
}

function localUrl(text: string | undefined, scheme: 'http' | 'https'): string | undefined {
  const address = text === undefined ? null : parseBindAddress(text);
  if (address === null || address === 'nowhere' || address.port === 0) return undefined;
  const { host = '', port } = address;
  const local = /^(?:|0\.0\.0\.0|::)$/u.test(host) ? '127.0.0.1' : host;
  return `${scheme}://${local.includes(':') ? `[${local}]` : local}:${port}`;
}

function shutdownSeconds({ gracefulShutdownTimeout: time }: Manager): number {
  return time === -1 ? LONGEST_SHUTDOWN : Math.ceil(time / 1000);
}

function permissionOf(declared: DeclaredPermission): ProjectPermission {
  const { kind, ...permission } = declared;
  const { group } = parseApiVersion(kind.apiVersion);
  return { ...permission, group, resource: pluralOf(declared), isClusterScoped: kind.scope === 'Cluster' };
}
