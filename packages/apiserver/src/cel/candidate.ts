import type { Overload } from './functions.ts';
import { callCost, resultCost } from './runtime-cost.ts';
import type { CelType } from './types.ts';
import type { Value } from './values.ts';
import { Duration, List, MapValue, Opaque, Optional, Timestamp, typeNameOf, TypeValue, Uint } from './values.ts';

/** A signature, prepared for calls. */
export interface Candidate {
  readonly overload: Overload;
  readonly fits: (values: readonly Value[]) => boolean;
  readonly callCost: (values: readonly Value[]) => number;
  readonly resultCost: (result: Value) => number;
}

function candidateOf(overload: Overload): Candidate {
  const checks = overload.params.map(typeCheck);
  return {
    overload,
    fits: (values) => {
      for (let index = 0; index < checks.length; index++) if (!checks[index]?.(values[index] ?? null)) return false;
      return true;
    },
    callCost: callCost(overload),
    resultCost: resultCost(overload),
  };
}

const candidates = new WeakMap<Overload, Candidate>();

/** Prepares a signature, once. */
export function preparedCandidate(overload: Overload): Candidate {
  const known = candidates.get(overload) ?? candidateOf(overload);
  candidates.set(overload, known);
  return known;
}

/** Returns how to check at runtime that a value has a type. */
function typeCheck({ kind, name }: CelType): (value: Value) => boolean {
  switch (kind) {
    case 'dyn':
    case 'param':
      return () => true;
    case 'null':
      return (value) => value === null;
    case 'bool':
      return (value) => typeof value === 'boolean';
    case 'int':
      return (value) => typeof value === 'bigint';
    case 'double':
      return (value) => typeof value === 'number';
    case 'string':
      return (value) => typeof value === 'string';
    case 'uint':
      return (value) => value instanceof Uint;
    case 'bytes':
      return (value) => value instanceof Uint8Array;
    case 'duration':
      return (value) => value instanceof Duration;
    case 'timestamp':
      return (value) => value instanceof Timestamp;
    case 'list':
      return (value) => value instanceof List;
    case 'map':
    case 'object':
      return (value) => value instanceof MapValue;
    case 'type':
      return (value) => value instanceof TypeValue;
    case 'opaque':
      return name === 'optional_type'
        ? (value) => value instanceof Optional
        : (value) => value instanceof Opaque && typeNameOf(value) === name;
    case 'error':
      return () => false;
  }
}
