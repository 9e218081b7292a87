/** Where progress is shown. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Work that takes less time shows nothing, in milliseconds. */
const DELAY = 1_000;
/** Interval of the progress line, on a terminal and elsewhere, in milliseconds. */
const INTERVALS = { terminal: 100, lines: 5_000 } as const;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Imports modules one after the other, and shows progress. Node.js compiles the sources of a module and of its imports
 * without a pause, so that no timer could show progress meanwhile.
 */
export async function compile(
  modules: readonly (() => Promise<unknown>)[],
  output: ProgressOutput = process.stderr,
): Promise<void> {
  const started = performance.now();
  let shown = -Infinity;
  for (const [index, load] of modules.entries()) {
    const now = performance.now();
    if (output.isTTY || now - shown >= INTERVALS.lines) {
      shown = now;
      const text = `Compiling ... ${secondsBetween(started, now)} (${index + 1} of ${modules.length})`;
      output.write(output.isTTY ? `${CLEAR_LINE}${text}` : `${text}\n`);
    }
    await load();
  }
  if (output.isTTY) output.write(CLEAR_LINE);
}

/** Shows the progress of work that does not block the thread, and resolves with its result. */
export async function withProgress<Value>(
  title: string,
  work: Promise<Value>,
  output: ProgressOutput = process.stderr,
): Promise<Value> {
  const started = performance.now();
  const show = (): void => {
    const text = `${title} ... ${secondsBetween(started, performance.now())}`;
    output.write(output.isTTY ? `${CLEAR_LINE}${text}` : `${text}\n`);
  };
  let ticker: NodeJS.Timeout | undefined;
  const delay = setTimeout(() => {
    show();
    ticker = setInterval(show, output.isTTY ? INTERVALS.terminal : INTERVALS.lines);
  }, DELAY);
  try {
    return await work;
  } finally {
    clearTimeout(delay);
    clearInterval(ticker);
    if (ticker && output.isTTY) output.write(CLEAR_LINE);
  }
}

function secondsBetween(start: number, end: number): string {
  return `${((end - start) / 1_000).toFixed(1)} s`;
}
