import { readFile } from 'node:fs/promises';
import type { AllowedArgument, AllowedValue } from '@mcr/core/provider';
import { checkAllowedCommands, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';

/** An exec credential plugin, in the format of kubeconfigs. */
export interface AccessExecConfig {
  /** `client.authentication.k8s.io/v1` or `…/v1beta1`. */
  readonly apiVersion: string;
  /** Name in the `PATH` of this process, or absolute path. Run without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Whether the plugin receives the cluster, and the profile's extension for the plugin. Default: false. */
  readonly provideClusterInfo?: boolean;
  /** How to install the plugin. Shown if the command is missing. */
  readonly installHint?: string;
  /** Ignored: the plugin never runs interactively. */
  readonly interactiveMode?: 'Never' | 'IfAvailable';
}

/** How to get credentials for the access provider `name` of profiles. (Upstream: `pkg/access.Provider`, KEP-5339.) */
export interface AccessProviderConfig {
  readonly name: string;
  readonly execConfig: AccessExecConfig;
  /** Whether arguments of a profile are appended to those of `execConfig`, or ignored. Default: `Ignore`. */
  readonly profileSourcedCLIArgsPolicy?: 'Append' | 'Ignore';
  /**
   * Whether variables of a profile are added or ignored. If a name repeats, `AppendIfNotExists` uses the value of
   * `execConfig`, and `Replace` that of the profile. Default: `Ignore`.
   */
  readonly profileSourcedEnvVarsPolicy?: 'AppendIfNotExists' | 'Replace' | 'Ignore';
  /**
   * The complete, ordered arguments that a profile may add. Required with the policy `Append`: with arbitrary
   * arguments, a profile could make the plugin run programs or send its credentials elsewhere.
   */
  readonly allowedArgs?: readonly AllowedArgument[];
  /** The variables that a profile may set, and their values. Required unless the policy is `Ignore`. */
  readonly allowedEnv?: Readonly<Record<string, AllowedValue>>;
}

const execConfig = z.strictObject({
  apiVersion: z.enum(
    ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'],
    'expected client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1',
  ),
  command: z.string().min(1, 'expected the name of the plugin'),
  args: z.array(z.string()).optional(),
  env: z.array(z.strictObject({ name: z.string().min(1), value: z.string() })).optional(),
  provideClusterInfo: z.boolean().optional(),
  installHint: z.string().optional(),
  interactiveMode: z
    .enum(['Never', 'IfAvailable'], 'expected Never or IfAvailable: plugins cannot run interactively')
    .optional(),
});

const accessProvider = z
  .strictObject({
    name: z.string().min(1, 'expected a name'),
    execConfig,
    profileSourcedCLIArgsPolicy: z.enum(['Append', 'Ignore']).optional(),
    profileSourcedEnvVarsPolicy: z.enum(['AppendIfNotExists', 'Replace', 'Ignore']).optional(),
    allowedArgs: z.array(z.unknown()).optional(),
    allowedEnv: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine((provider, context) => {
    const problem = allowanceProblem(provider as AccessProviderConfig);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** Returns the problem of `allowedArgs` or `allowedEnv`; `undefined` if there is none. */
function allowanceProblem(provider: AccessProviderConfig): string | undefined {
  const { execConfig, allowedArgs, allowedEnv } = provider;
  if (takesArgs(provider) && !allowedArgs) {
    return 'allowedArgs is not set: list the arguments that a profile may add, or leave profileSourcedCLIArgsPolicy at Ignore';
  }
  if (takesEnv(provider) && !allowedEnv) {
    return 'allowedEnv is not set: list the variables that a profile may set, or leave profileSourcedEnvVarsPolicy at Ignore';
  }
  try {
    checkAllowedCommands([{ command: execConfig.command, args: allowedArgs ?? [], env: allowedEnv ?? {} }]);
    return undefined;
  } catch (error) {
    return (error as Error).message
      .replace(/^allowedCommands\[0\]\.(args|env)/, (_, list) => (list === 'args' ? 'allowedArgs' : 'allowedEnv'))
      .replace(/^allowedCommands\[0\]/, 'execConfig.command');
  }
}

export function takesArgs({ profileSourcedCLIArgsPolicy: policy }: AccessProviderConfig): boolean {
  return policy === 'Append';
}

export function takesEnv({ profileSourcedEnvVarsPolicy: policy }: AccessProviderConfig): boolean {
  return policy === 'AppendIfNotExists' || policy === 'Replace';
}

export const accessProvidersSchema = z
  .array(accessProvider)
  .min(1, 'expected at least one access provider')
  .refine((providers) => new Set(providers.map(({ name }) => name)).size === providers.length, 'expected unique names');

const fileSchema = z.strictObject({ providers: accessProvidersSchema });

/**
 * Reads the access providers of a JSON file, `{ "providers": [...] }`.
 *
 * @throws {TypeError} if the file is invalid. The message quotes no values of variables, which may be credentials.
 */
export async function readAccessProviders(path: string): Promise<readonly AccessProviderConfig[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new TypeError(`the access providers cannot be read from ${path}`, { cause });
  }
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new TypeError(`the access providers in ${path} are not JSON`);
  }
  parseOptions(`the access providers in ${path}`, fileSchema, file);
  return (file as { readonly providers: readonly AccessProviderConfig[] }).providers;
}
