import type { CelType } from './types.ts';
import { parseType, splitTypes } from './types.ts';
import type { Value } from './values.ts';

/** One signature of a function. */
export interface Overload {
  /** Id of cel-go, by which costs are calculated. */
  readonly id: string;
  readonly name: string;
  /** Whether the first parameter is the target of a method. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly call: (...args: Value[]) => Value;
}

type Implementation = (...args: never[]) => Value;

/**
 * Declares a signature, after its id: `starts_with_string startsWith: string.(string)->bool` for a method,
 * `size_string size: (string)->int` for a function.
 *
 * @param call implementation, which gets the target first. The evaluator checks the types of the arguments.
 */
export function overload(declaration: string, call: Implementation): Overload {
  const {
    id = '',
    name = '',
    target,
    params = '',
    result = '',
  } = /^(?<id>\S+) (?<name>\S+): (?:(?<target>\S+)\.)?\((?<params>.*)\)->(?<result>\S+)$/.exec(declaration)?.groups ??
  {};
  const types = [...(target === undefined ? [] : [target]), ...splitTypes(params)];
  return {
    id,
    name,
    member: target !== undefined,
    params: types.map(parseType),
    result: parseType(result),
    // The parameters of the signature are those of the implementation.
    call: call as (...args: Value[]) => Value,
  };
}

/** The functions of an environment, by name. */
export type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

export function functionTable(...libraries: readonly (readonly Overload[])[]): FunctionTable {
  const table = new Map<string, Overload[]>();
  for (const overload of libraries.flat()) {
    const known = table.get(overload.name);
    if (known) known.push(overload);
    else table.set(overload.name, [overload]);
  }
  return table;
}
