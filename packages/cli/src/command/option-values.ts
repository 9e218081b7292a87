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

export const kubeconfigOption = (): Option =>
  new Option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG, else ~/.kube/config)').argParser(text);
