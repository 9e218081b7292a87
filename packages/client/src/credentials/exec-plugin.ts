import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
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

/** How long a plugin may take, in milliseconds: some ask an identity provider that is far away. */
const DEADLINE = 60_000;

/** Size of an install hint that an error shows, in bytes. */
const LONGEST_HINT = 512;

/** The variables that a plugin of an allow-list inherits, beside those that the list names. */
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
  readonly host: string;
  readonly clock: Clock;
  /** The config's TLS with the contents of its files. */
  readonly tls: () => Promise<TlsConfig | undefined>;
}

/**
 * The credentials of a `client.authentication.k8s.io` plugin. (Upstream: client-go `plugin/pkg/client/auth/exec`,
 * KEP-541.)
 */
export function execPlugin(auth: ExecAuth, { config, host, clock, tls }: ExecPluginOptions): RenewingSource {
  const failure = (problem: string, stderr = '') =>
    new TransportError('credentials', host, `the exec plugin ${auth.command} ${problem}${stderr && `: ${stderr}`}`);

  /** Secrets of the latest credentials: a plugin that stores them may print them again. */
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
      throw failure(`was not found${auth.installHint ? `: ${shortened(auth.installHint, LONGEST_HINT)}` : ''}`);
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
      throw failure(error instanceof UnusableAnswer ? error.message : 'gave an unusable answer', shownStderr());
    }
  };
  return new RenewingSource(obtain, clock);
}

/** What is wrong with what a plugin wrote, in words that hold nothing of it. */
class UnusableAnswer extends Error {}

function statusOf(stdout: string, apiVersion: string): Status {
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw new UnusableAnswer('wrote what is not JSON');
  }
  const parsed = execCredential.safeParse(answer);
  if (!parsed.success) {
    throw new UnusableAnswer(
      `wrote what is not an ExecCredential: ${parsed.error.issues[0]?.path.join('.') || 'it'} is not as it must be`,
    );
  }
  if (parsed.data.apiVersion !== apiVersion) {
    throw new UnusableAnswer(`answered in another version than it was asked in: expected ${apiVersion}`);
  }
  return parsed.data.status;
}

function obtainedFrom(status: Status, clock: Clock): Obtained {
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !cert && !key) throw new UnusableAnswer('gave neither a token nor a client certificate');
  if (!cert !== !key) throw new UnusableAnswer('gave a client certificate or a key without the other');
  const ends = [
    ...(expirationTimestamp ? [Date.parse(expirationTimestamp)] : []),
    ...(cert && key ? [endOf(cert, key)] : []),
  ].map((end) => end - clock.wallTime());
  return {
    credential: {
      headers: token ? { authorization: `Bearer ${token}` } : {},
      ...(cert && key && { certificate: { cert, key } }),
    },
    ...(ends.length > 0 && { lifetime: Math.min(...ends) }),
  };
}

/** The end of a certificate, in milliseconds since the Unix epoch. */
function endOf(certData: string, keyData: string): number {
  try {
    secureContextOf({ certData, keyData });
    return new X509Certificate(certData).validToDate.getTime();
  } catch {
    throw new UnusableAnswer('gave a client certificate that is not a PEM, or a key that does not belong to it');
  }
}

/** `spec.cluster` of what the plugin is told. */
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
