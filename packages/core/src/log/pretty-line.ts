import { styleText } from 'node:util';
import { terminalText } from './terminal-text.ts';

const COLORS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

interface Line {
  readonly time: string;
  readonly level: keyof typeof COLORS;
  readonly message: string;
}

/** A JSON line as text for people: `12:01:02.345 INFO  cluster is engaged  cluster="eu-1"`. Values stay JSON, so that none can forge a line. */
export function prettyLine(json: string): string {
  const { time, level, message, ...fields } = JSON.parse(json) as Line & Record<string, unknown>;
  const clock = time.slice(11, 23);
  const values = Object.entries(fields).map(([name, value]) => `${terminalText(name)}=${textOf(value)}`);
  const text = `${clock} ${style(COLORS[level], level.toUpperCase().padEnd(5))} ${terminalText(message)}`;
  return `${[text, style('dim', values.join(' '))].join('  ').trimEnd()}\n`;
}

/** With colours where the standard error stream has them. */
function style(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stderr });
}

function textOf(value: unknown): string {
  return terminalText(JSON.stringify(messagesOf(value)));
}

/** An error's messages in one string, outermost first. */
function messagesOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('message' in value)) return value;
  const { message, cause } = value as { message: unknown; cause?: unknown };
  return cause === undefined ? message : `${String(message)}: ${String(messagesOf(cause))}`;
}
