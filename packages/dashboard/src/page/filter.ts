import type { ClusterRow } from '../protocol.ts';

/** Requirements of the rows that the table shows. Empty fields select everything. */
export interface Filter {
  /** Part of the name, in any case. */
  readonly name: string;
  /** Requirements of labels, such as `env=prod,tier!=test,!canary,zone`. */
  readonly labels: string;
  readonly phases: ReadonlySet<string>;
  readonly owner: string;
}

/** Returns a function that selects rows. */
export function selects({ name, labels, phases, owner }: Filter): (row: ClusterRow) => boolean {
  const part = name.trim().toLowerCase();
  const requirements = labels.split(',').flatMap(requirementOf);
  return (row) =>
    (part === '' || row.name.toLowerCase().includes(part) || (row.name === '' && '(local)'.includes(part))) &&
    (owner === '' || row.owner === owner) &&
    (phases.size === 0 || phases.has(row.phase) || (row.isolation !== undefined && phases.has(row.isolation))) &&
    requirements.every((isMet) => isMet(row.labels ?? {}));
}

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

function requirementOf(text: string): Requirement[] {
  const match = /^\s*(?<not>!?)\s*(?<key>[^=!\s]+)\s*(?:(?<operator>!=|==?)\s*(?<value>.*?))?\s*$/u.exec(text);
  const { not, key, operator, value = '' } = match?.groups ?? {};
  if (key === undefined) return [];
  const valueIn: (labels: Readonly<Record<string, string>>) => string | undefined = (labels) =>
    Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator === undefined) return [(labels) => (valueIn(labels) !== undefined) === (not === '')];
  return [(labels) => (valueIn(labels) === value) === (operator !== '!=')];
}
