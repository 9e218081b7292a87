import type { Stacks } from './describe-error.ts';
import { describeError, isError } from './describe-error.ts';

export interface JsonLineOptions {
  /** Which errors are written with their stacks. */
  readonly stacks: Stacks;
}

/**
 * Returns `record` as JSON on one line. Errors are described, see {@link describeError}. A field that JSON cannot hold
 * (a cycle, a getter that throws) is replaced with a note, so that the rest of the line is written.
 */
export function jsonLine(record: Readonly<Record<string, unknown>>, { stacks }: JsonLineOptions): string {
  const replacer = (_key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return String(value);
    return isError(value) ? describeError(value, { stacks }) : value;
  };
  const { error } = record;
  const described = error === undefined ? record : { ...record, error: describeError(error, { stacks }) };
  try {
    return JSON.stringify(described, replacer);
  } catch {
    const written = Object.entries(described).map(([name, value]) => [name, serializable(value, replacer)] as const);
    return JSON.stringify(Object.fromEntries(written));
  }
}

function serializable(value: unknown, replacer: (key: string, value: unknown) => unknown): unknown {
  try {
    const text = JSON.stringify(value, replacer) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return '[not serializable as JSON]';
  }
}
