import { type ClusterConfig, isTransportError, parseKubeconfig, type TransportErrorCode } from '@mcr/core';
import { createDialer, createTransport, shortened } from '@mcr/core/provider';

/** The checks, in their order. If one fails, the later ones are left out. */
const CHECKS = ['kubeconfig', 'DNS', 'TCP', 'TLS', 'credentials', 'permission', 'version', 'clock'] as const;
type CheckName = (typeof CHECKS)[number];

/** The result of one check. */
export interface Check {
  readonly name: CheckName;
  readonly result: 'ok' | 'warning' | 'failed' | 'left out';
  /** The finding. */
  readonly detail: string;
  /** The remedy. */
  readonly advice?: string;
}

export interface CheckOptions {
  /** Ends the check. */
  readonly signal: AbortSignal;
  /** Kubeconfig of the cluster, as its Secret would hold it. */
  readonly kubeconfig: string;
}

/** Deadline of each request, in milliseconds. */
const TIMEOUT = 10_000;
/** The oldest release of Kubernetes that the project is tested with. */
const OLDEST_MINOR = 31;
/** Difference between two clocks from which tokens and certificates may be refused, in milliseconds. */
const MAX_SKEW = 60_000;
const OBJECT = '/api/v1/namespaces/kube-system';

/**
 * Checks whether a cluster would engage: reads its kubeconfig as the provider does, connects, and reads what a manager
 * reads. Stops at the first check that fails.
 *
 * @throws the reason of `signal` if it aborts.
 */
export async function checkCluster({ kubeconfig, signal }: CheckOptions): Promise<readonly Check[]> {
  const checks = new Map<CheckName, Check>();
  for await (const check of performed(kubeconfig, signal)) checks.set(check.name, check);
  return CHECKS.map((name) => checks.get(name) ?? { name, result: 'left out', detail: '' });
}

async function* performed(kubeconfig: string, signal: AbortSignal): AsyncGenerator<Check> {
  let config: ClusterConfig;
  try {
    config = parseKubeconfig(kubeconfig, { policy: 'untrusted' });
  } catch (error) {
    yield failed('kubeconfig', (error as Error).message, 'correct the kubeconfig');
    return;
  }
  yield addressCheck(config);
  if (yield* connectionChecks(config, signal)) yield* answerChecks(config, signal);
}

/** Whether a manager in a Pod could reach the address. */
function addressCheck({ server }: ClusterConfig): Check {
  const { hostname } = new URL(server);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (!isLoopback) return ok('kubeconfig', `server ${server}`);
  return {
    ...{ name: 'kubeconfig', result: 'warning', detail: `server ${server} is an address of this machine` },
    advice: 'a manager in a Pod cannot reach it: use an address that other machines reach',
  };
}

/** How a connection fails, by the code of its error. */
const FAILURES: Partial<Record<TransportErrorCode, readonly [check: CheckName, advice: string]>> = {
  unresolved: ['DNS', 'correct the host name of the server, or the DNS of this machine'],
  refused: ['TCP', 'check the port of the server, and that the API server runs'],
  deadline: ['TCP', 'check routes, firewalls and the proxy between this machine and the server'],
  reset: ['TCP', 'check firewalls and the proxy between this machine and the server'],
  untrusted: [
    'TLS',
    'set certificate-authority-data to the CA of the server, and tls-server-name if it has another name',
  ],
  credentials: ['credentials', 'correct the credentials of the kubeconfig'],
};

/** Connects, and derives the checks from how that ends. @returns whether it succeeded. */
async function* connectionChecks(config: ClusterConfig, signal: AbortSignal): AsyncGenerator<Check, boolean> {
  const { host } = new URL(config.server);
  const steps = ['DNS', 'TCP', 'TLS'] as const;
  const details = { DNS: host, TCP: 'connected', TLS: 'the certificate is trusted' };
  try {
    using dialer = createDialer(config);
    const { socket } = await dialer.dial(signal);
    socket.destroy();
    for (const name of steps) yield ok(name, details[name]);
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    const [check, advice] = failureOf(error);
    const passed = Math.max(
      0,
      steps.findIndex((step) => step === check),
    );
    for (const name of steps.slice(0, passed)) yield ok(name, details[name]);
    yield failed(check, (error as Error).message, advice);
    return false;
  }
}

function failureOf(error: unknown): readonly [check: CheckName, advice: string] {
  return (
    (isTransportError(error) ? FAILURES[error.code] : undefined) ?? ['TCP', 'correct the server in the kubeconfig']
  );
}

async function* answerChecks(config: ClusterConfig, signal: AbortSignal): AsyncGenerator<Check> {
  const transport = createTransport(config);
  try {
    const { status, headers, text } = await answerOf(transport, OBJECT, signal);
    if (status === 401) {
      yield failed('credentials', 'the API server refuses the credentials (401)', 'renew the token or certificate');
      return;
    }
    yield ok('credentials', 'accepted');
    if (status === 403) {
      const advice = 'grant the verb get on the namespace kube-system, by which a manager recognises the cluster';
      yield failed('permission', messageOf(text), advice);
      return;
    }
    if (status !== 200) {
      yield failed('permission', `GET ${OBJECT} answered ${status}: ${messageOf(text)}`, 'check the API server');
      return;
    }
    yield ok('permission', 'get on the namespace kube-system');
    yield versionCheck(await answerOf(transport, '/version', signal));
    yield clockCheck(headers['date']);
  } catch (error) {
    if (signal.aborted) throw error;
    yield failed('credentials', (error as Error).message, 'check the API server and the proxies before it');
  } finally {
    await transport.close();
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function answerOf(
  transport: ReturnType<typeof createTransport>,
  path: string,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await transport.send({
    method: 'GET',
    path,
    signal,
    timeout: TIMEOUT,
    purpose: 'version',
    retry: 'never',
  });
  const { status, headers } = response;
  return { status, headers, text: response.withoutCredentials(Buffer.from(await response.bytes()).toString('utf8')) };
}

function versionCheck({ status, text }: Answer): Check {
  const { gitVersion, minor } = fieldsOf(text);
  if (status !== 200 || typeof gitVersion !== 'string')
    return failed('version', `GET /version answered ${status}`, 'check that the server is a Kubernetes API server');
  const shown = shortened(gitVersion, 100);
  if (Number.parseInt(String(minor), 10) >= OLDEST_MINOR) return ok('version', shown);
  const advice = `the oldest release that is tested is 1.${OLDEST_MINOR}: update the cluster`;
  return { name: 'version', result: 'warning', detail: shown, advice };
}

function clockCheck(date: string | undefined): Check {
  const skew = Math.abs(Date.parse(date ?? '') - Date.now());
  if (Number.isNaN(skew)) return ok('clock', 'the API server does not tell its time');
  if (skew <= MAX_SKEW) return ok('clock', 'within a minute of this machine');
  const detail = `${Math.round(skew / 1000)} s apart from this machine`;
  return {
    name: 'clock',
    result: 'warning',
    detail,
    advice: 'synchronize the clocks: tokens and certificates expire by them',
  };
}

function messageOf(text: string): string {
  const { message } = fieldsOf(text);
  return shortened(typeof message === 'string' ? message : text, 300);
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function ok(name: CheckName, detail: string): Check {
  return { name, result: 'ok', detail };
}

function failed(name: CheckName, detail: string, advice: string): Check {
  return { name, result: 'failed', detail, advice };
}
