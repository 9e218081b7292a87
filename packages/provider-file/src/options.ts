import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { clusterOptionsSchema, nonNegativeMilliseconds, parseOptions } from '@mcr/core/provider';
import { z } from 'zod';

export interface FileProviderOptions {
  /** Kubeconfig files, which need not exist yet. Default, when there are no directories either: see `sourcesOf`. */
  readonly kubeconfigFiles?: readonly string[];
  /** Directories whose files are kubeconfigs, where their names match `kubeconfigGlobs`. Need not exist yet. */
  readonly kubeconfigDirs?: readonly string[];
  /**
   * Patterns of file names, for `kubeconfigDirs`. Default: `kubeconfig.yaml`, `kubeconfig.yml`, `*.kubeconfig`,
   * `*.kubeconfig.yaml`, `*.kubeconfig.yml`.
   */
  readonly kubeconfigGlobs?: readonly string[];
  /** Stands between path and context in the name of a cluster. Default: `+`. */
  readonly separator?: string;
  /** How long files are left alone after a change before they are read, in milliseconds. Default: 100. */
  readonly debounce?: number;
  /**
   * `trusted` allows what a kubeconfig of this process's own user may ask for, such as commands to run and files to
   * read; `untrusted` refuses it. Default: `trusted`.
   */
  readonly policy?: 'trusted' | 'untrusted';
  /** For every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: as the manager's. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every member, for example its user agent. */
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

/** @throws {TypeError} that names the option, when one is unknown or wrong. */
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
