import { InvalidArgumentError, Option } from 'commander';
import { similarText } from '@mcr/core/provider';

/** Refuses an empty value, and the next option in place of a value, as in `--out --check`. */
export function text(value: string): string {
  if (value === '' || value.startsWith('--')) throw new InvalidArgumentError('expected a value');
  return value;
}

/** Collects the values of an option that can be repeated. */
export function repeated(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text(value)];
}

/** Maximum of a time, in seconds. */
const MAX_SECONDS = 3600;

/** Accepts whole seconds up to an hour. */
export function secondsOf(value: string): number {
  const seconds = /^\d+$/.test(value) ? Number(value) : 0;
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`expected whole seconds from 1 to ${MAX_SECONDS}`);
}

export const kubeconfigOption = (): Option =>
  new Option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG, else ~/.kube/config)').argParser(text);

/** Accepts a whole number in a range. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
  };
}

/** Returns an option with one of these values. A wrong one is refused with the nearest right one. */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser(oneOf(choices));
}

/** Accepts one of these values, in any case. */
export function oneOf(choices: readonly string[]): (value: string) => string {
  return (value) => {
    const choice = choices.find((each) => each.toLowerCase() === value.toLowerCase());
    if (choice !== undefined) return choice;
    const similar = similarText(value, choices);
    const suggestion = similar === undefined ? '' : `\n(Did you mean ${similar}?)`;
    throw new InvalidArgumentError(`allowed choices are ${choices.join(', ')}.${suggestion}`);
  };
}
