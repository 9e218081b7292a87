import { builtInTypes } from '../resources/kind-table.ts';
import type { Change, ResourceType } from '../resources/resource-type.ts';
import type { FieldError } from '../status.ts';
import type { Paused } from '../turn.ts';

let types: readonly ResourceType[] | undefined;

/**
 * Returns the built-in kinds, with updates that may keep what is invalid, because the initial objects of a server in a
 * process may be incomplete. For custom resources, every server has this rule.
 */
export function lenientTypes(): readonly ResourceType[] {
  return (types ??= builtInTypes.map(lenient));
}

function lenient(type: ResourceType): ResourceType {
  const { validate, judge } = type;
  if (!validate && !judge) return type;
  const validateLeniently = (change: Change): FieldError[] => {
    const errors = validate?.(change) ?? [];
    const { previous } = change;
    if (errors.length === 0 || !previous) return errors;
    return newErrors(errors, validate?.({ object: previous, previous }) ?? []);
  };
  const judgeLeniently = function* (change: Change): Paused<FieldError[]> {
    const errors = judge ? yield* judge(change) : [];
    const { previous } = change;
    if (errors.length === 0 || !previous || !judge) return errors;
    return newErrors(errors, yield* judge({ object: previous, previous }));
  };
  // Copies the property `schema` without creating the schema.
  const properties = Object.getOwnPropertyDescriptors(type);
  return Object.defineProperties(
    {},
    {
      ...properties,
      validate: { ...properties.validate, value: validateLeniently },
      judge: { enumerable: true, value: judge && judgeLeniently },
    },
  ) as ResourceType;
}

function newErrors(errors: readonly FieldError[], earlier: readonly FieldError[]): FieldError[] {
  const known = new Set(earlier.map(textOf));
  return errors.filter((error) => !known.has(textOf(error)));
}

function textOf({ reason, field, message }: FieldError): string {
  return `${reason} ${field} ${message}`;
}
