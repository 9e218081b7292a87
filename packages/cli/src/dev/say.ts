import { styleText } from 'node:util';
import type { Output } from '../command/output.ts';

/** Messages of `mcr dev`, between the lines of the program: one line each. */
export interface Say {
  /** Says what has happened. */
  step(text: string): void;
  /** Says what failed, and what to do. */
  problem(text: string): void;
}

/** Prints messages, in colours if the output has them. */
export function sayTo({ print, warn, isColored = false }: Output): Say {
  const styled = (style: 'cyan' | 'red', text: string): string =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  return {
    step: (text) => print(`${styled('cyan', text)}\n`),
    problem: (text) => warn(`${styled('red', `mcr: ${text}`)}\n`),
  };
}

/** Returns the time since a value of `performance.now()`, such as `0.4 s`. */
export function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
