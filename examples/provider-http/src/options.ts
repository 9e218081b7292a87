import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { parseOptions, positiveMilliseconds } from '@mcr/core';
import { z } from 'zod';

export interface HttpProviderOptions {
  /** Where the inventory is: GET answers with a JSON list of records. */
  readonly url: string;
  /** Sent as a bearer token; asked for before each poll, for it may change. Default: none is sent. */
  readonly token?: () => string | Promise<string>;
  /** Milliseconds. Default: 30,000. */
  readonly pollInterval?: number;
  /** Of one poll, in milliseconds. Default: 10,000. */
  readonly timeout?: number;
  /** For every member. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every member. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

const isFunction = (value: unknown) => typeof value === 'function';

const schema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }),
  token: z.custom(isFunction, 'expected a function that gives a token').optional(),
  pollInterval: positiveMilliseconds.optional(),
  timeout: positiveMilliseconds.optional(),
  clusterOptions: z.looseObject({}).optional(),
  configure: z.custom(isFunction, 'expected a function of a ClusterConfig').optional(),
});

/** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
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
