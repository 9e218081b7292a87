import * as z from 'zod';
import { expectationText } from '../options/issue-text.ts';

/** A value that a kubeconfig may pass to an exec plugin: exactly this string, or any string that matches a pattern. */
export type AllowedValue = string | AllowedPattern;

/** A pattern of allowed values. */
export interface AllowedPattern {
  /**
   * A regular expression with the flag `u` that must match the whole value. An argument that starts with `-` matches
   * only a pattern that starts with `-`, so that no value becomes an option.
   */
  readonly pattern: string;
}

/** One argument, or arguments that are present together or not at all. */
export type AllowedArgument = AllowedValue | { readonly optional: readonly AllowedValue[] };

/**
 * An exec plugin that a kubeconfig may run, with every argument and variable that the kubeconfig may choose. Plain
 * data, so that it can be read from a file.
 */
export interface AllowedCommand {
  /** A name that is looked up in the `PATH` of this process, or an absolute path. */
  readonly command: string;
  /** All arguments, in order. */
  readonly args: readonly AllowedArgument[];
  /** Variables that the kubeconfig may set, and their values. Default: none. */
  readonly env?: Readonly<Record<string, AllowedValue>>;
  /**
   * Variables of this process that the plugin inherits, such as `AWS_WEB_IDENTITY_TOKEN_FILE`, in addition to `PATH`,
   * `HOME`, `TMPDIR` and `LANG`. Default: none.
   */
  readonly inheritEnv?: readonly string[];
  /**
   * Whether the kubeconfig may set `provideClusterInfo`, which passes the plugin the server and the extension
   * `client.authentication.k8s.io/exec` of the kubeconfig. The extension has arbitrary content. Default: false.
   */
  readonly clusterInfo?: boolean;
}

/**
 * Programs that can run other programs named in their arguments: shells, interpreters, and programs that start others
 * or fetch URLs. A pattern cannot restrict them.
 */
const RUNS_ITS_ARGUMENTS = new RegExp(
  `^(?:${[
    '(?:r?ba|da|z|r?k|mk|ok|c|tc|fi|a|ya)?sh|ksh93|pwsh|powershell|cmd|busybox|toybox',
    'python|pypy|perl|ruby|php|lua|luajit|tclsh|expect|node|nodejs|deno|bun|npx|tsx|java|osascript|[gmn]?awk|sed|make|vim?|ed',
    'env|sudo|doas|su|runuser|setpriv|nohup|nice|ionice|chrt|taskset|numactl|setsid|stdbuf|flock|timeout|time|watch|script|xargs|parallel|find|fd',
    'strace|ltrace|gdb|lldb|perf|valgrind|nsenter|unshare|chroot|systemd-run|docker|podman|nerdctl|crictl|ctr|kubectl',
    'git|ssh|scp|sftp|rsync|curl|wget|nc|ncat|socat|tar',
  ].join('|')})(?:-?\\d[\\d.]*)?(?:\\.exe)?$`,
  'i',
);

/** A pattern that accepts all of these accepts almost any text. */
const PROBES = ['file:///etc/passwd', 'https://example.com/?a=b&c=$(id)', '@../x;y|z'];

/** Maximum length of a value that is matched with a pattern, in characters. It limits the time of a match. */
const MAX_MATCHED_LENGTH = 4096;

const patternSchema = z.strictObject({
  pattern: z.string().superRefine((pattern, context) => {
    const problem = patternProblem(pattern);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  }),
});
const valueSchema = z.union([z.string(), patternSchema]);
const argumentSchema = z.union([valueSchema, z.strictObject({ optional: z.array(valueSchema).min(1) })]);

/** Schema of {@link AllowedCommand.args}. */
export const allowedArgumentsSchema = z.array(argumentSchema);
/** Schema of {@link AllowedCommand.env}. */
export const allowedEnvSchema = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable'),
  valueSchema,
);

const commandSchema = z
  .strictObject({
    command: z.string().min(1, 'expected the name or the absolute path of a plugin'),
    args: allowedArgumentsSchema,
    env: allowedEnvSchema.optional(),
    inheritEnv: z.array(z.string()).optional(),
    clusterInfo: z.boolean().optional(),
  })
  .refine(({ command, args }) => !RUNS_ITS_ARGUMENTS.test(baseName(command)) || !args.some(hasPattern), {
    message:
      'is a program that can run other programs named in its arguments, so no argument may be a pattern: list the exact arguments, or allow the plugin itself',
  });

/**
 * Validates a list of allowed commands.
 *
 * @throws {TypeError} if an entry is invalid. The message names the entry and what to change.
 */
export function checkAllowedCommands(commands: readonly unknown[]): void {
  for (const [index, entry] of commands.entries()) {
    const name = `allowedCommands[${index}]`;
    const command = typeof entry === 'string' ? entry : (entry as Partial<AllowedCommand> | undefined)?.command;
    if (typeof entry === 'string' || !(entry as Partial<AllowedCommand> | undefined)?.args) {
      throw new TypeError(
        `${name}: does not pin the arguments of ${command}, so a kubeconfig could make it run other programs or change its configuration: expected { command, args } with every argument`,
      );
    }
    const parsed = commandSchema.safeParse(entry, { error: expectationText });
    if (parsed.success) continue;
    const [issue] = parsed.error.issues;
    const { path, message } = deepest(issue);
    throw new TypeError(`${[name, ...path].join('.')}: ${message}`);
  }
}

/** Returns the most specific issue in a union: the one with the longest path. */
function deepest(issue: z.core.$ZodIssue | undefined): {
  readonly path: readonly PropertyKey[];
  readonly message: string;
} {
  if (issue?.code !== 'invalid_union') return { path: issue?.path ?? [], message: issue?.message ?? 'is not valid' };
  const inner = issue.errors.flatMap(([first]) => (first ? [deepest(first)] : []));
  const [furthest] = inner.toSorted((a, b) => b.path.length - a.path.length);
  return { path: [...issue.path, ...(furthest?.path ?? [])], message: furthest?.message ?? issue.message };
}

/**
 * Returns why `args` do not match `allowed`, or `undefined` if they match. The text contains no argument, because
 * arguments may be secrets.
 */
export function argumentsProblem(args: readonly string[], allowed: readonly AllowedArgument[]): string | undefined {
  // The possible numbers of arguments matched so far. There are several if optional arguments may be absent.
  let matched = new Set([0]);
  let furthest = 0;
  const matches = (value: AllowedValue, index: number) => {
    const argument = args[index];
    if (argument === undefined || !matchesValue(argument, value) || isHiddenOption(argument, value)) return false;
    furthest = Math.max(furthest, index + 1);
    return true;
  };
  for (const argument of allowed) {
    const values = isOptional(argument) ? argument.optional : [argument];
    const ends = [...matched].flatMap((start) =>
      values.every((value, offset) => matches(value, start + offset)) ? [start + values.length] : [],
    );
    matched = new Set(isOptional(argument) ? [...matched, ...ends] : ends);
  }
  if (matched.has(args.length)) return undefined;
  return furthest < args.length ? `[${furthest}] is not allowed at this position` : 'is missing an argument';
}

/** Whether a string matches an allowed value. */
export function matchesValue(text: string, allowed: AllowedValue): boolean {
  if (typeof allowed === 'string') return text === allowed;
  return text.length <= MAX_MATCHED_LENGTH && anchored(allowed.pattern).test(text);
}

/** Whether an argument is an option, although the pattern that it matches expects a value. */
function isHiddenOption(argument: string, allowed: AllowedValue): boolean {
  return typeof allowed !== 'string' && argument.startsWith('-') && !/^\^?-/.test(allowed.pattern);
}

function patternProblem(pattern: string): string | undefined {
  try {
    // Compiled without the anchors first, so that the pattern cannot close their group.
    new RegExp(pattern, 'u');
  } catch {
    return 'is not a regular expression with the flag u';
  }
  const accepts = anchored(pattern);
  if (!PROBES.every((probe) => accepts.test(probe))) return undefined;
  return 'accepts paths, URLs and any other text: list the characters that the value may contain';
}

function anchored(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'u');
}

function hasPattern(argument: AllowedArgument): boolean {
  if (isOptional(argument)) return argument.optional.some(hasPattern);
  return typeof argument !== 'string';
}

function isOptional(argument: AllowedArgument): argument is Extract<AllowedArgument, { optional: unknown }> {
  return typeof argument === 'object' && 'optional' in argument;
}

function baseName(command: string): string {
  return command.replace(/^.*[/\\]/s, '');
}
