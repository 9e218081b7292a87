import { jsonType } from '../metadata-types.ts';

/** Fields of the internal type of a toleration, and the type of their values. */
const FIELDS: Readonly<Record<string, 'string' | 'number'>> = {
  Key: 'string',
  Operator: 'string',
  Value: 'string',
  Effect: 'string',
  TolerationSeconds: 'number',
};

const GO_TYPES: Readonly<Record<string, string>> = {
  Key: 'string',
  Operator: 'core.TolerationOperator',
  Value: 'string',
  Effect: 'core.TaintEffect',
  TolerationSeconds: 'int64',
};

export interface DecodedTolerations {
  /** Tolerations with the names of fields in the API. */
  readonly tolerations: readonly object[];
  /** Message of Go's decoder about the first value of the wrong type. */
  readonly fault?: string;
}

export const NO_TOLERATIONS: DecodedTolerations = { tolerations: [] };

/** Decodes the tolerations in an annotation, as Go decodes JSON into a type without names for its fields. */
export function tolerationsIn(value: unknown): DecodedTolerations {
  if (value === null) return NO_TOLERATIONS;
  if (!Array.isArray(value)) return mistyped(value, 'Go value', '[]core.Toleration');
  const tolerations: object[] = [];
  for (const item of value as readonly unknown[]) {
    const toleration: Record<string, unknown> = {};
    tolerations.push(toleration);
    if (item === null) continue;
    if (typeof item !== 'object' || Array.isArray(item)) return mistyped(item, 'Go value', 'core.Toleration');
    for (const [name, field] of Object.entries(item)) {
      const known = Object.keys(FIELDS).find((each) => each.toLowerCase() === name.toLowerCase());
      if (known === undefined || field === null) continue;
      if (typeof field !== FIELDS[known])
        return mistyped(field, `Go struct field Toleration.${known}`, GO_TYPES[known]);
      toleration[known.charAt(0).toLowerCase() + known.slice(1)] = field;
    }
  }
  return { tolerations };
}

function mistyped(value: unknown, what: string, type = ''): DecodedTolerations {
  return { tolerations: [], fault: `json: cannot unmarshal ${jsonType(value)} into ${what} of type ${type}` };
}
