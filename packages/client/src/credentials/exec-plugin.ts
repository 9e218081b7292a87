import { X509Certificate } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig, ExecAuth, TlsConfig } from '../config/cluster-config.ts';
import { allowedEntry } from '../config/exec-rules.ts';
import { proxyUrlOf } from '../config/proxy-auth.ts';
import { shortened } from '../text/shortened.ts';
import { TransportError } from '../errors/transport-error.ts';
import { secretsIn, shownErrorOutput } from './plugin-output.ts';
import { runCommand } from './run-command.ts';
import { RenewingSource, type Obtained } from './renewing-source.ts';
import { secureContextOf } from './secure-context.ts';

/** Deadline for a plugin, in milliseconds. Some plugins call a remote identity provider. */
const DEADLINE = 60_000;

/** Maximum size of an install hint in an error, in bytes. */
const MAX_HINT_BYTES = 512;

/** Variables that an allowed plugin always inherits, in addition to the ones that its entry lists. */
const CLEAN_ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'LANG'] as const;

const execCredential = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
    expirationTimestamp: z.iso.datetime({ offset: true }).nullish(),
  }),
});

type Status = z.infer<typeof execCredential>['status'];

export interface ExecPluginOptions {
  readonly config: ClusterConfig;
  /** The server's host and port, for messages. */
  readonly host: string;
  readonly clock: Clock;
  /** Returns the config's TLS with the contents of its files. */
  readonly tls: () => Promise<TlsConfig | undefined>;
}

/**
 * Creates a source of credentials from a `client.authentication.k8s.io` plugin. (Upstream: client-go
 * `plugin/pkg/client/auth/exec`, KEP-541.)
 */
export function execPlugin(auth: ExecAuth, { config, host, clock, tls }: ExecPluginOptions): RenewingSource {
  const failure = (problem: string, stderr = '') =>
    new TransportError('credentials', host, `the exec plugin ${auth.command} ${problem}${stderr && `: ${stderr}`}`);

  /** Secrets of the previous credentials, which a plugin with a cache may print again. */
  let previous: readonly string[] = [];
  const obtain = async (signal: AbortSignal): Promise<Obtained> => {
    const info = {
      apiVersion: auth.apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, ...(auth.provideClusterInfo && { cluster: clusterInfo(auth, config, await tls()) }) },
    };
    const env = { ...inherited(auth), ...auth.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
    const { command, args = [] } = auth;
    const result = await runCommand({ command, args, env, deadline: DEADLINE }, { clock, signal });
    if (result.outcome === 'not-found') {
      throw failure(`was not found${auth.installHint ? `: ${shortened(auth.installHint, MAX_HINT_BYTES)}` : ''}`);
    }
    const { stdout, stderr } = result;
    const secrets = secretsIn(stdout);
    const shownStderr = () =>
      shownErrorOutput(stderr, {
        secrets: secrets && [...secrets, ...previous],
        given: [...args, ...Object.values(auth.env ?? {})],
      });
    if (result.outcome === 'failed') throw failure(result.problem, shownStderr());
    try {
      const obtained = obtainedFrom(statusOf(stdout, auth.apiVersion), clock);
      previous = secrets ?? [];
      return obtained;
    } catch (error) {
      throw failure(error instanceof InvalidOutput ? error.message : 'returned invalid output', shownStderr());
    }
  };
  return new RenewingSource(obtain, clock);
}

/** Describes invalid output of a plugin. The message contains nothing of the output. */
class InvalidOutput extends Error {}

function statusOf(stdout: string, apiVersion: string): Status {
  let output: unknown;
  try {
    output = JSON.parse(stdout);
  } catch {
    throw new InvalidOutput('returned output that is not JSON');
  }
  const parsed = execCredential.safeParse(output);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.');
    throw new InvalidOutput(`returned output that is not an ExecCredential${field ? `: ${field} is not valid` : ''}`);
  }
  if (parsed.data.apiVersion !== apiVersion) {
    throw new InvalidOutput(`returned another apiVersion than requested: expected ${apiVersion}`);
  }
  return parsed.data.status;
}

function obtainedFrom(status: Status, clock: Clock): Obtained {
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !cert && !key) throw new InvalidOutput('returned neither a token nor a client certificate');
  if (!cert !== !key) {
    throw new InvalidOutput('returned a client certificate without a key, or a key without a certificate');
  }
  const lifetimes = [
    ...(expirationTimestamp ? [Date.parse(expirationTimestamp)] : []),
    ...(cert && key ? [certificateExpiry(cert, key)] : []),
  ].map((expiry) => expiry - clock.wallTime());
  return {
    credential: {
      headers: token ? { authorization: `Bearer ${token}` } : {},
      ...(cert && key && { certificate: { cert, key } }),
    },
    ...(lifetimes.length > 0 && { lifetime: Math.min(...lifetimes) }),
  };
}

/** Returns when a certificate expires, in milliseconds since the Unix epoch. */
function certificateExpiry(certData: string, keyData: string): number {
  try {
    secureContextOf({ certData, keyData });
    return new X509Certificate(certData).validToDate.getTime();
  } catch {
    throw new InvalidOutput('returned a client certificate that is not a PEM, or a key that does not match it');
  }
}

/** Returns `spec.cluster` of the plugin's input. */
function clusterInfo({ clusterInfoConfig }: ExecAuth, config: ClusterConfig, tls: TlsConfig | undefined): object {
  return {
    server: config.server,
    ...(tls?.serverName !== undefined && { 'tls-server-name': tls.serverName }),
    ...(tls?.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(tls?.caData !== undefined && { 'certificate-authority-data': Buffer.from(tls.caData).toString('base64') }),
    ...(config.proxyUrl !== undefined && { 'proxy-url': proxyUrlOf(config) }),
    ...(clusterInfoConfig !== undefined && { config: clusterInfoConfig }),
  };
}

function inherited(auth: ExecAuth): Readonly<Record<string, string | undefined>> {
  if (!auth.allowedCommands) return process.env;
  const names = [...CLEAN_ENVIRONMENT, ...(allowedEntry(auth)?.inheritEnv ?? [])];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
