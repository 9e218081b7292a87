import { styleText } from 'node:util';
import type { ErrorDescription } from './describe-error.ts';
import { terminalText } from './terminal-text.ts';

const COLORS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

interface Line {
  readonly time: string;
  readonly level: keyof typeof COLORS;
  readonly message: string;
}

/**
 * Formats a JSON line as human-readable text: `12:01:02.345 INFO  cluster engaged  cluster="eu-1"`. Values stay JSON,
 * so that they cannot forge a line. The stacks of errors follow, with one indented frame per line.
 */
export function prettyLine(json: string): string {
  const { time, level, message, ...fields } = JSON.parse(json) as Line & Record<string, unknown>;
  const clock = time.slice(11, 23);
  const values = Object.entries(fields).map(([name, value]) => `${terminalText(name)}=${textOf(value)}`);
  const text = `${clock} ${style(COLORS[level], level.toUpperCase().padEnd(5))} ${terminalText(message)}`;
  const first = [text, style('dim', values.join(' '))].join('  ').trimEnd();
  const stacks = Object.values(fields).flatMap((value) => stackOf(value));
  return `${[first, ...stacks.map((line) => style('dim', line))].join('\n')}\n`;
}

/** Adds colours if the standard error stream supports them. */
function style(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stderr });
}

function textOf(value: unknown): string {
  return terminalText(JSON.stringify(messagesOf(value)));
}

/**
 * Returns the names and messages of an error and its causes in one string, and the errors of an aggregate in brackets.
 */
function messagesOf(value: unknown): unknown {
  if (!isDescription(value)) return value;
  const { cause, errors } = value;
  const own = titleOf(value);
  const all = errors ? `${own} [${errors.map((each) => String(messagesOf(each))).join('; ')}]` : own;
  return cause === undefined ? all : `${all}: ${String(messagesOf(cause))}`;
}

/** Returns the frames of an error, followed by those of its causes under their titles. */
function stackOf(value: unknown): string[] {
  if (!isDescription(value)) return [];
  const { stack, cause, errors = [] } = value;
  const within = (inner: unknown) => {
    const lines = stackOf(inner);
    return isDescription(inner) && lines.length > 0 ? [`  caused by ${inOneLine(titleOf(inner))}`, ...lines] : [];
  };
  const frames = stack === undefined ? [] : stack.split('\n').map((frame) => `    ${inOneLine(frame)}`);
  return [...frames, ...errors.flatMap(within), ...within(cause)];
}

/** Returns name and message, without the name `Error`. */
function titleOf({ name, message }: ErrorDescription): string {
  return name === 'Error' || name === '' ? message : `${name}: ${message}`;
}

/** Escapes characters like JSON, so that text cannot forge a line or control a terminal. */
function inOneLine(text: string): string {
  return terminalText(JSON.stringify(text).slice(1, -1));
}

function isDescription(value: unknown): value is ErrorDescription {
  const { name, message } = Object(value) as { readonly name?: unknown; readonly message?: unknown };
  return typeof name === 'string' && typeof message === 'string';
}
