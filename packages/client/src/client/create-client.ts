import * as z from 'zod';
import { anyValue } from '../options/any-value.ts';
import { parseOptions } from '../options/parse-options.ts';
import { checkConfig } from '../config/check-config.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createRestMapper, type RestMapper } from '../discovery/rest-mapper.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import { tracedTransport } from '../tracing/traced-transport.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { ResponseLimits } from '../transport/response-limits.ts';
import type { Transport } from '../transport/transport.ts';
import type { Client } from './client.ts';
import { HttpClient } from './http-client.ts';
import { logWarnings, warningTransport, type WarningHandler } from './warning-transport.ts';

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Sends the requests. Default: a transport created from the config, which is closed with the client. */
  readonly transport?: Transport;
  /** Maps kinds to paths. Default: a mapper that uses the server's discovery API. */
  readonly restMapper?: RestMapper;
  /** Logger of the client. Default: nothing is logged. */
  readonly logger?: Logger;
  /**
   * Called for each warning in a response, for example that a version of a kind is deprecated. Default: logs each
   * distinct warning once, at most 256 of them.
   */
  readonly onWarning?: WarningHandler;
  /** Creates a span for each request. Default: no tracing. */
  readonly tracer?: Tracer;
  /**
   * Limits of response sizes. Default: see each limit. Ignored if `transport` is set, because a transport has its own
   * limits.
   */
  readonly limits?: ResponseLimits;
  /** Name of the cluster in spans. */
  readonly clusterName?: string;
}

/** A client that sends all reads and writes to the API server. */
export interface ApiClient extends Client, AsyncDisposable {
  /** Closes the transport, unless it was passed in the options. */
  close(): Promise<void>;
}

const schema = z.strictObject({
  transport: anyValue,
  restMapper: anyValue,
  logger: anyValue,
  onWarning: anyValue,
  tracer: anyValue,
  limits: anyValue,
  clusterName: anyValue,
} satisfies Record<keyof ClientOptions, z.ZodType>);

/**
 * Creates a client of an API server. It opens no connections before the first call. (Upstream: controller-runtime's
 * `client.New`.)
 *
 * @throws {TypeError} if `config` cannot be used, or an option is unknown; the message names it.
 */
export function createClient(config: ClusterConfig, options: ClientOptions = {}): ApiClient {
  parseOptions('createClient', schema, options);
  const { tracer, clusterName, logger = silentLogger, onWarning = logWarnings(logger) } = options;
  if (options.transport === undefined) checkConfig(config, 'createClient');
  const plain = options.transport ?? createTransport(config, options);
  const traced = tracer ? tracedTransport(plain, { tracer, clusterName }) : plain;
  const transport = warningTransport(traced, onWarning, logger);
  const restMapper = options.restMapper ?? createRestMapper(transport);
  const client = new HttpClient(transport, restMapper, options.limits);
  const close = async (): Promise<void> => {
    if (options.transport === undefined) await transport.close();
  };
  return Object.assign(client, { close, [Symbol.asyncDispose]: close });
}
