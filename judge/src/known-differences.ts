import type { Discrepancy } from './comparison.ts';
import type { Operation } from './operation.ts';

/** A difference that is accepted. */
interface Known {
  /** Why the embedded server does not answer as the real one does. */
  readonly reason: string;
  readonly method?: RegExp;
  readonly request?: RegExp;
  /** Path of the value, as in {@link Discrepancy}. */
  readonly at: RegExp;
  readonly expected?: RegExp;
  readonly actual?: RegExp;
}

/** Every entry is as narrow as possible. A value that no entry matches is a difference. */
const KNOWN: readonly Known[] = [];

/** Returns the discrepancies that are not known. */
export function unknown({ method, path }: Operation, found: readonly Discrepancy[]): readonly Discrepancy[] {
  return found.filter(
    (discrepancy) =>
      !KNOWN.some(
        (known) =>
          (known.method?.test(method) ?? true) &&
          (known.request?.test(path) ?? true) &&
          known.at.test(discrepancy.path) &&
          (known.expected?.test(textOf(discrepancy.expected)) ?? true) &&
          (known.actual?.test(textOf(discrepancy.actual)) ?? true),
      ),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
