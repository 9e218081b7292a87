import type { Fleet } from '@mcr/core';
import { terminalText } from '@mcr/core/provider';
import { fleetTable } from './table.ts';

/** Shows the progress of the demo. */
export interface Screen extends Disposable {
  /** Whether to pause between steps, so that a reader can follow. */
  readonly paced: boolean;
  /** Begins a step. */
  caption(text: string): void;
  /** Ends it. */
  outcome(result: { readonly ok: boolean; readonly ms: number; readonly error?: string }): void;
  /** Prints a line above the table. */
  say(text: string): void;
}

/** Prints nothing. */
export const silentScreen: Screen = {
  paced: false,
  caption: () => undefined,
  outcome: () => undefined,
  say: () => undefined,
  [Symbol.dispose]: () => undefined,
};

type Output = NodeJS.WriteStream;

/** Returns a live screen for a terminal, and plain lines for a file or a pipe. */
export function openScreen(output: Output, fleet: Fleet): Screen {
  return output.isTTY ? liveScreen(output, fleet) : plainScreen(output);
}

function plainScreen(output: Output): Screen {
  return {
    ...silentScreen,
    caption: (text) => void output.write(`\n${text}\n`),
    outcome: (result) => void output.write(`${outcomeText(result)}\n`),
    say: (text) => void output.write(`${text}\n`),
  };
}

/** Redraw interval of the table, in milliseconds. */
const FRAME = 100;

/** Prints the steps, and keeps the table of the fleet up to date below them. */
function liveScreen(output: Output, fleet: Fleet): Screen {
  let drawn = 0;
  let spinner = 0;
  let running: string | undefined;

  const erase = () => {
    output.write(drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '');
    drawn = 0;
  };
  const draw = () => {
    const lines = fleetTable(fleet.list(), { width: output.columns, colours: 'ansi', now: Date.now() });
    const status = running === undefined ? [] : [`\x1b[36m${'|/-\\'.charAt(spinner++ % 4)}\x1b[0m ${running}`];
    const frame = [...status, '', ...lines, ''];
    erase();
    output.write(`${frame.join('\n')}\n`);
    drawn = frame.length;
  };
  const keep = (text: string) => {
    erase();
    output.write(`${text}\n`);
    draw();
  };

  output.write('\x1b[?25l');
  const timer = setInterval(draw, FRAME);
  return {
    paced: true,
    caption(text) {
      running = text;
      draw();
    },
    outcome(result) {
      const caption = running ?? '';
      running = undefined;
      keep(`${result.ok ? '\x1b[32m✔\x1b[0m' : '\x1b[31m✘\x1b[0m'} ${caption}  \x1b[90m${outcomeText(result)}\x1b[0m`);
    },
    say: keep,
    [Symbol.dispose]() {
      clearInterval(timer);
      draw();
      output.write('\x1b[?25h');
    },
  };
}

function outcomeText({
  ok,
  ms,
  error,
}: {
  readonly ok: boolean;
  readonly ms: number;
  readonly error?: string;
}): string {
  return ok ? `done in ${ms} ms` : `failed: ${terminalText(error ?? 'unknown reason')}`;
}
