import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { parseOptions, positiveMilliseconds } from '@mcr/core/provider';
import * as z from 'zod';

export interface HttpProviderOptions {
  /** URL of the inventory. GET returns a JSON list of records. */
  readonly url: string;
  /** Returns the bearer token. Called before each poll, because the token may change. Default: no token. */
  readonly token?: () => string | Promise<string>;
  /** Poll interval in milliseconds. Default: 30,000. */
  readonly pollInterval?: number;
  /** Deadline of one poll, in milliseconds. Default: 10,000. */
  readonly timeout?: number;
  /** Options of every cluster. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Changes the configuration of every cluster. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

const isFunction = (value: unknown) => typeof value === 'function';

const schema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }),
  token: z.custom(isFunction, 'expected a function that returns a token').optional(),
  pollInterval: positiveMilliseconds.optional(),
  timeout: positiveMilliseconds.optional(),
  clusterOptions: z.looseObject({}).optional(),
  configure: z.custom(isFunction, 'expected a function of a ClusterConfig').optional(),
});

/** Validates the options. @throws {TypeError} that names a missing, unknown or wrong option. */
export function withDefaults(options: HttpProviderOptions) {
  parseOptions('HttpProvider', schema, options);
  return {
    pollInterval: 30_000,
    timeout: 10_000,
    clusterOptions: {},
    configure: (config: ClusterConfig) => config,
    ...options,
  };
}
