import { regexError } from '../schema/regular-expression.ts';
import type { Checked, Environment } from './checker.ts';
import { check } from './checker.ts';
import { estimateCost } from './estimate.ts';
import type { Program } from './evaluator.ts';
import { program } from './evaluator.ts';
import { descendants } from './descendants.ts';
import { formatIssue } from './format-issues.ts';
import { mixedIssues } from './mixed-issues.ts';
import { parse } from './parser.ts';
import type { Expr, Issue, Literal } from './syntax.ts';
import { issueText } from './syntax.ts';
import { isTimestamp, parseDuration, parseTimestamp, SECOND } from './time.ts';
import type { CelType } from './types.ts';

export type { Environment } from './checker.ts';
export type { Program } from './evaluator.ts';

/** A compiled expression. */
export interface Compiled {
  readonly type: CelType;
  /** Names of the variables that it uses. */
  readonly variables: ReadonlySet<string>;
  /** Evaluates the expression within a limit of its cost. */
  readonly evaluate: Program;
  /** Error of a call whose arguments are constants; the real server evaluates these in advance. */
  readonly instantiationError: string | undefined;
  /** Largest cost of an evaluation, estimated. */
  readonly maxCost: () => number;
}

/** Compiles an expression. The errors have the form of cel-go. */
export function compile(
  source: string,
  environment: Environment,
):
  | { readonly compiled: Compiled; readonly error?: undefined }
  | { readonly compiled?: undefined; readonly error: string } {
  const { expr, issues } = parse(source, environment);
  if (!expr) return { error: issueText(source, issues) };
  const { checked, issues: typeIssues } = check(expr, environment);
  if (typeIssues.length > 0) return { error: issueText(source, typeIssues) };
  const invalid = [...literalIssues(expr), ...mixedIssues(checked, expr), ...formatIssues(checked)];
  if (invalid.length > 0) return { error: issueText(source, invalid) };
  return {
    compiled: {
      type: checked.type,
      variables: checked.variables,
      evaluate: program(checked),
      instantiationError: foldingError(checked),
      maxCost: () => estimateCost(checked, environment.variables['self'] ?? environment.variables['device']),
    },
  };
}

const LITERALS: Readonly<Record<string, (literal: Literal['value']) => boolean>> = {
  duration: (literal) => parseDuration(String(literal)) !== undefined,
  timestamp: (literal) =>
    typeof literal === 'bigint' ? isTimestamp(literal * SECOND) : parseTimestamp(String(literal)) !== undefined,
  matches: (literal) => regexError(String(literal)) === undefined,
};

/** Literals that a function would refuse are errors of the compilation (upstream: `cel.ASTValidators`). */
function literalIssues(expr: Expr): Issue[] {
  const issues: Issue[] = [];
  for (const node of descendants(expr)) {
    if (node.kind !== 'call') continue;
    const isValid = Object.hasOwn(LITERALS, node.name) ? LITERALS[node.name] : undefined;
    const argument = node.name === 'matches' ? node.args.at(-1) : node.args[0];
    if (!isValid || argument?.kind !== 'literal') continue;
    if (!isValid(argument.value)) issues.push({ at: argument.at, message: `invalid ${node.name} argument` });
  }
  return issues;
}

function formatIssues(checked: Checked): Issue[] {
  return [...descendants(checked.expr)].flatMap((node) => {
    const issue = node.kind === 'call' ? formatIssue(checked, node) : undefined;
    return issue ? [issue] : [];
  });
}

const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

function foldingError(checked: Checked): string | undefined {
  for (const node of descendants(checked.expr)) {
    if (node.kind !== 'call') continue;
    const [first] = node.args;
    if (first?.kind !== 'literal') continue;
    if ((node.name === 'find' || node.name === 'findAll') && typeof first.value === 'string') {
      const reason = regexError(first.value);
      if (reason !== undefined) return reason;
    }
    if (node.target || !CONVERSIONS.has(node.name)) continue;
    const { error } = program({ ...checked, expr: node })({}, Infinity);
    if (error) return error.message;
  }
  return undefined;
}
