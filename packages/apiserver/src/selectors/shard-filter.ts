import { badRequest } from '../status.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { type CelExpression, CelSyntaxError, parseCel } from './cel-calls.ts';

/** Selects the objects of a list or watch by hash ranges (KEP-5866). */
export interface ShardFilter {
  /** The selector in its normal form, which lists return as `shardInfo.selector`. */
  readonly text: string;
  selects(object: StoredObject): boolean;
}

interface ShardRange {
  readonly field: Field;
  readonly start: string;
  readonly end: string;
}

type Field = 'object.metadata.uid' | 'object.metadata.namespace';
type Call = Extract<CelExpression, { kind: 'call' }>;

/** Maximum length of a selector. CEL's own limit is 100,000. */
const MAX_LENGTH = 100_000;
const END_OF_SPACE = '0x10000000000000000';

/** Numbers of kinds of expressions in the messages of cel-go. */
const KIND_NUMBERS = { call: 1, identifier: 3, literal: 5, select: 7 };

/**
 * Parses a shard selector. Upstream: `k8s.io/apiserver/pkg/sharding`. Expressions outside of the subset of CEL that
 * selectors need are syntax errors here, whatever CEL says about them.
 *
 * @throws {StatusError} 400 if the text is not a valid selector.
 */
export function parseShardSelector(text: string): ShardFilter {
  try {
    const ranges = rangesOf(text);
    const normal = ranges.map(({ field, start, end }) => `shardRange(${field}, '${start}', '${end}')`);
    const bounds = ranges.map(({ start, end }) => [BigInt(start), BigInt(end)] as const);
    const isOfUid = ranges[0]?.field === 'object.metadata.uid';
    return {
      text: normal.join(' || '),
      selects: ({ uid, namespace }) => {
        const hash = fnv1a64(isOfUid ? uid : namespace);
        return bounds.some(([start, end]) => start <= hash && hash < end);
      },
    };
  } catch (error) {
    if (error instanceof CelSyntaxError) {
      throw badRequest(`invalid shard selector: CEL parse error: Syntax error: ${error.message}`);
    }
    if (error instanceof InvalidSelectorError) throw badRequest(`invalid shard selector: ${error.message}`);
    throw error;
  }
}

class InvalidSelectorError extends Error {
  override readonly name = 'InvalidSelectorError';
}

function rangesOf(text: string): readonly ShardRange[] {
  if (text.trim() === '') {
    throw new InvalidSelectorError('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  }
  if (text.length > MAX_LENGTH) {
    throw new InvalidSelectorError(
      `CEL parse error: expression code point size exceeds limit: size: ${text.length}, limit ${MAX_LENGTH}`,
    );
  }
  const ranges = rangesIn(parseCel(text));
  const [first] = ranges;
  const other = ranges.find(({ field }) => field !== first?.field);
  if (first && other) {
    throw new InvalidSelectorError(
      `all shard ranges must use the same field, got "${first.field}" and "${other.field}"`,
    );
  }
  return ranges;
}

/** Returns the ranges of a chain of `||`. It may be long, so this is not recursive in its left side. */
function rangesIn(expression: CelExpression): readonly ShardRange[] {
  const ranges: ShardRange[] = [];
  let rest: CelExpression = expression;
  for (;;) {
    if (rest.kind !== 'call') throw new InvalidSelectorError(unexpectedKind(rest));
    const [left, right]: readonly CelExpression[] = rest.args;
    if (rest.name !== '_||_' || !left || !right) return [rangeOf(rest), ...ranges.reverse()];
    ranges.push(...rangesIn(right));
    rest = left;
  }
}

function rangeOf(call: Call): ShardRange {
  if (call.name !== 'shardRange') {
    throw new InvalidSelectorError(
      `unsupported function ${JSON.stringify(call.name)}; only shardRange() and || are allowed`,
    );
  }
  const [path, first, last] = call.args;
  if (!path || !first || !last || call.args.length !== 3) {
    throw new InvalidSelectorError(`shardRange() requires exactly 3 arguments, got ${call.args.length}`);
  }
  const field = fieldOf(path);
  const start = boundOf(first, 'hexStart');
  const end = boundOf(last, 'hexEnd');
  if (BigInt(start) >= BigInt(end)) {
    throw new InvalidSelectorError(`shard range start ${start} must be less than end ${end}`);
  }
  return { field, start, end };
}

function fieldOf(expression: CelExpression): Field {
  if (expression.kind !== 'path') {
    const kind = kindNumber(expression);
    throw new InvalidSelectorError(
      `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kind}`,
    );
  }
  const { text } = expression;
  if (text === 'object.metadata.uid' || text === 'object.metadata.namespace') return text;
  throw new InvalidSelectorError(
    `unsupported field path ${JSON.stringify(text)}; supported: object.metadata.uid, object.metadata.namespace`,
  );
}

function boundOf(expression: CelExpression, name: string): string {
  if (expression.kind === 'number') throw new InvalidSelectorError(`${name} must be a string literal, got int64`);
  if (expression.kind !== 'string') {
    throw new InvalidSelectorError(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumber(expression)}`,
    );
  }
  const problem = boundProblem(expression.value, name);
  if (problem !== undefined) throw new InvalidSelectorError(problem);
  return expression.value;
}

function boundProblem(bound: string, name: string): string | undefined {
  const quoted = JSON.stringify(bound);
  if (!bound.startsWith('0x')) return `${name} must have '0x' prefix, got ${quoted}`;
  const digits = bound.slice(2);
  if (digits === '') return `${name}: hex value is required after '0x'`;
  if (digits.length > 17) {
    return `${name}: hex value too long (${digits.length} chars, max 17): ${JSON.stringify(digits)}`;
  }
  const wrong = /[^0-9a-f]/.exec(digits);
  if (wrong) return `${name}: invalid hex character ${JSON.stringify(wrong[0])} in ${quoted}`;
  if (digits.length === 17) {
    if (bound === END_OF_SPACE) return undefined;
    return `${name}: 17-digit hex value must be '${END_OF_SPACE}' (2^64), got ${quoted}`;
  }
  if (digits.length === 16) return undefined;
  const padded = JSON.stringify(`0x${digits.padStart(16, '0')}`);
  return `${name} must be a 0x-prefixed 16-digit hex value, got ${quoted} (did you mean ${padded}?)`;
}

function unexpectedKind(expression: CelExpression): string {
  return `unexpected expression kind ${kindNumber(expression)}; expected shardRange() call or || operator`;
}

function kindNumber(expression: CelExpression): number {
  switch (expression.kind) {
    case 'call':
      return KIND_NUMBERS.call;
    case 'path':
      return expression.text.includes('.') ? KIND_NUMBERS.select : KIND_NUMBERS.identifier;
    default:
      return KIND_NUMBERS.literal;
  }
}

/** The 64-bit FNV-1a hash. Simpler than the client's own, which it helps to check. */
function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
