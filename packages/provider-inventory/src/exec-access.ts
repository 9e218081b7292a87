import type { ClusterConfig } from '@mcr/core';
import { parseKubeconfig } from '@mcr/core';
import { checkedField } from '@mcr/core/provider';
import * as z from 'zod';
import type { Access, AccessStrategy, Candidate } from './access.ts';
import type { AccessProviderConfig } from './access-providers.ts';
import { readAccessProviders, takesArgs, takesEnv } from './access-providers.ts';
import type { ProfileAccess } from './profile-status.ts';

/** Extensions of a profile's cluster (KEP-541, KEP-5339). */
const EXTENSIONS = {
  clusterConfig: 'client.authentication.k8s.io/exec',
  args: 'clusterprofiles.multicluster.x-k8s.io/exec/additional-args',
  env: 'clusterprofiles.multicluster.x-k8s.io/exec/additional-envs',
} as const;

/* Limits of a profile's input to a plugin: enough in practice, and well below the limits of operating systems. */

const MAX_CLUSTER_CONFIG = 32 * 1024;
const MAX_ITEMS = 64;

const word = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/, 'expected no NUL');
const additionalArgs = z.array(word).max(MAX_ITEMS).default([]);
const additionalEnv = z
  .record(
    z
      .string()
      .max(256)
      .regex(/^[A-Za-z_][\w.-]*$/, 'expected the name of a variable'),
    word,
  )
  .refine((variables) => Object.keys(variables).length <= MAX_ITEMS, `expected at most ${MAX_ITEMS} variables`)
  .default({});

/**
 * Uses the endpoints of profiles, and credentials of exec plugins from this process's own configuration.
 * (Upstream: `pkg/access.Config`.)
 */
export class ExecAccess implements AccessStrategy {
  readonly #providers: readonly AccessProviderConfig[] | string;

  /** @param providers a list, or the path of a JSON file. */
  constructor(providers: readonly AccessProviderConfig[] | string) {
    this.#providers = providers;
  }

  sources() {
    return [];
  }

  async find({ status }: Candidate): Promise<Access> {
    const providers =
      typeof this.#providers === 'string' ? await readAccessProviders(this.#providers) : this.#providers;
    // If a name repeats, the later entry is used.
    const offered = new Map(
      [...(status.credentialProviders ?? []), ...(status.accessProviders ?? [])].map((access) => [access.name, access]),
    );
    const provider = providers.find(({ name }) => offered.has(name));
    const access = provider && offered.get(provider.name);
    if (!provider || !access) {
      const configured = providers.map(({ name }) => name).join(', ');
      return { outcome: 'missing', reason: `its profile has none of the configured access providers (${configured})` };
    }
    return {
      outcome: 'found',
      source: JSON.stringify([provider, access]),
      config: () => configOf(provider, access),
    };
  }
}

function configOf(provider: AccessProviderConfig, { name, cluster }: ProfileAccess): ClusterConfig {
  try {
    const { extensions, ...plain } = cluster ?? {};
    const kubeconfig = {
      clusters: [{ name, cluster: plain }],
      contexts: [{ name, context: { cluster: name } }],
      'current-context': name,
    };
    // A proxy sees only the server's name, and the author of the profile chooses the server anyway.
    const config = parseKubeconfig(JSON.stringify(kubeconfig), { policy: 'untrusted', allow: ['proxy-url'] });
    const extended = new Map((extensions ?? []).map((extension) => [extension.name, extension.extension]));
    return { ...config, auth: authOf(provider, extended) };
  } catch (error) {
    throw new Error(`its access provider ${JSON.stringify(name)} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function authOf(
  provider: AccessProviderConfig,
  extensions: ReadonlyMap<string, unknown>,
): NonNullable<ClusterConfig['auth']> {
  const { execConfig, profileSourcedEnvVarsPolicy: envPolicy } = provider;
  const { apiVersion, command, args = [], provideClusterInfo = false, installHint } = execConfig;

  const ownEnv = Object.fromEntries((execConfig.env ?? []).map(({ name, value }) => [name, value]));
  const addedEnv = takesEnv(provider)
    ? checkedField(EXTENSIONS.env, additionalEnv, extensions.get(EXTENSIONS.env))
    : {};
  const addedArgs = takesArgs(provider)
    ? checkedField(EXTENSIONS.args, additionalArgs, extensions.get(EXTENSIONS.args))
    : [];
  const replaced = envPolicy === 'Replace' ? addedEnv : {};
  const keptEnv = Object.fromEntries(Object.entries(ownEnv).filter(([name]) => !Object.hasOwn(replaced, name)));
  const allowedArgs = takesArgs(provider) ? (provider.allowedArgs ?? []) : [];
  const allowedEnv = takesEnv(provider) ? (provider.allowedEnv ?? {}) : {};
  const clusterInfoConfig = provideClusterInfo ? clusterConfigOf(extensions) : undefined;
  return {
    type: 'exec',
    apiVersion,
    command,
    args: [...args, ...addedArgs],
    env: { ...addedEnv, ...keptEnv },
    provideClusterInfo,
    ...(clusterInfoConfig !== undefined && { clusterInfoConfig }),
    ...(installHint !== undefined && { installHint }),
    ...((takesArgs(provider) || takesEnv(provider)) && {
      allowedCommands: [
        {
          command,
          args: [...args, ...allowedArgs],
          env: { ...allowedEnv, ...keptEnv },
          // Set by `execConfig`, not by the profile.
          ...(provideClusterInfo && { clusterInfo: true }),
        },
      ],
    }),
  };
}

function clusterConfigOf(extensions: ReadonlyMap<string, unknown>): unknown {
  const config = extensions.get(EXTENSIONS.clusterConfig);
  if (config !== undefined && JSON.stringify(config).length > MAX_CLUSTER_CONFIG) {
    throw new TypeError(`${EXTENSIONS.clusterConfig}: is larger than ${MAX_CLUSTER_CONFIG} characters`);
  }
  return config;
}
