import { InvalidArgumentError, Option } from 'commander';

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
