import { readFile } from 'node:fs/promises';
import type { AllowedArgument, AllowedValue } from '@mcr/core/provider';
import { checkAllowedCommands, parseOptions } from '@mcr/core/provider';
import { z } from 'zod';

/** An exec credential plugin, as it stands in a kubeconfig. */
export interface AccessExecConfig {
  /** `client.authentication.k8s.io/v1` or `…/v1beta1`. */
  readonly apiVersion: string;
  /** Found by the `PATH` of this process, or an absolute path. Run without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Whether the plugin is told of the cluster, with what the profile adds for it. Default: false. */
  readonly provideClusterInfo?: boolean;
  /** How to get the plugin; told when there is no such command. */
  readonly installHint?: string;
  /** Nobody can be asked here, whatever stands there. */
  readonly interactiveMode?: 'Never' | 'IfAvailable';
}

/** How to get credentials by the way that profiles call `name`. (Upstream: `pkg/access.Provider`, KEP-5339.) */
export interface AccessProviderConfig {
  readonly name: string;
  readonly execConfig: AccessExecConfig;
  /** What becomes of arguments that a profile adds: they follow those of `execConfig`, or are ignored. Default: `Ignore`. */
  readonly profileSourcedCLIArgsPolicy?: 'Append' | 'Ignore';
  /**
   * What becomes of variables that a profile adds. Of two with one name, `AppendIfNotExists` keeps that of `execConfig`
   * and `Replace` that of the profile. Default: `Ignore`.
   */
  readonly profileSourcedEnvVarsPolicy?: 'AppendIfNotExists' | 'Replace' | 'Ignore';
  /**
   * The arguments that a profile may add, all of them and in order. Required with the policy `Append`: with free
   * arguments, a profile could make the plugin run programs or send its credentials elsewhere.
   */
  readonly allowedArgs?: readonly AllowedArgument[];
  /** The variables that a profile may set, and their values. Required with a policy other than `Ignore`. */
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
  interactiveMode: z.enum(['Never', 'IfAvailable'], 'expected Never or IfAvailable: nobody can be asked').optional(),
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

/** Returns what is missing or wrong in the lists of what a profile may add. */
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
  .refine((providers) => new Set(providers.map(({ name }) => name)).size === providers.length, 'a name stands twice');

const fileSchema = z.strictObject({ providers: accessProvidersSchema });

/**
 * The access providers in a JSON file, `{ "providers": [...] }`.
 *
 * @throws {TypeError} that says what is wrong with the file, and repeats no variable, which may be a credential.
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
