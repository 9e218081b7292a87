import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { clusterOptionsSchema, nonNegativeMilliseconds, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';

export interface FileProviderOptions {
  /** Kubeconfig files. They need not exist yet. Default without directories: `$KUBECONFIG`, else `~/.kube/config`, else `.`. */
  readonly kubeconfigFiles?: readonly string[];
  /** Directories of kubeconfig files, whose names match `kubeconfigGlobs`. They need not exist yet. */
  readonly kubeconfigDirs?: readonly string[];
  /**
   * Patterns of file names in `kubeconfigDirs`. Default: `kubeconfig.yaml`, `kubeconfig.yml`, `*.kubeconfig`,
   * `*.kubeconfig.yaml`, `*.kubeconfig.yml`.
   */
  readonly kubeconfigGlobs?: readonly string[];
  /** Separates path and context in the name of a cluster. Default: `+`. */
  readonly separator?: string;
  /** Time without changes before changed files are read, in milliseconds. Default: 100. */
  readonly debounce?: number;
  /**
   * With `trusted`, a kubeconfig may name commands to run and files to read, as one of the process's own user may. With
   * `untrusted`, such kubeconfigs are refused. Default: `trusted`.
   */
  readonly policy?: 'trusted' | 'untrusted';
  /** Options of every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: those of the manager. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Changes the configuration of every member, for example its user agent. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

const paths = z.array(z.string().min(1, 'expected a path')).optional();

const schema = z.strictObject({
  kubeconfigFiles: paths,
  kubeconfigDirs: paths,
  kubeconfigGlobs: z
    .array(z.string().regex(/^[^/\\]+$/, 'expected a pattern of file names, without a directory'))
    .min(1, 'expected at least one pattern')
    .optional(),
  separator: z.string().min(1, 'expected at least one character').optional(),
  debounce: nonNegativeMilliseconds.optional(),
  policy: z.enum(['trusted', 'untrusted']).optional(),
  clusterOptions: clusterOptionsSchema.optional(),
  configure: z.custom((value) => typeof value === 'function', 'expected a function of a ClusterConfig').optional(),
});

const GLOBS = ['kubeconfig.yaml', 'kubeconfig.yml', '*.kubeconfig', '*.kubeconfig.yaml', '*.kubeconfig.yml'];

/** @throws {TypeError} if an option is unknown or invalid; the message names it. */
export function withDefaults(options: FileProviderOptions) {
  parseOptions('FileProvider', schema, options, '{ kubeconfigFiles: ["/path"] }');
  return {
    kubeconfigFiles: options.kubeconfigFiles ?? [],
    kubeconfigDirs: options.kubeconfigDirs ?? [],
    kubeconfigGlobs: options.kubeconfigGlobs ?? GLOBS,
    separator: options.separator ?? '+',
    debounce: options.debounce ?? 100,
    policy: options.policy ?? 'trusted',
    clusterOptions: options.clusterOptions ?? {},
    configure: options.configure ?? ((config: ClusterConfig) => config),
  } as const;
}
