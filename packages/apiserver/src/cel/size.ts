/** Largest cost or size: 2^64. */
export const MAX = 2 ** 64;

/** Range of the size of a value: elements of a list or map, characters of a text. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN: Size = { min: 0, max: MAX };

export function fixed(size: number): Size {
  return { min: size, max: size };
}

export function capped(value: number): number {
  return Math.min(value, MAX);
}

export function plus(a: Size, b: Size): Size {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

export function times(a: Size, b: Size): Size {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

export function union(a: Size, b: Size): Size {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Returns the largest cost of visiting a value, at a cost for each unit of its size. */
export function costOf({ max }: Size, factor: number): number {
  return capped(Math.ceil(max * factor));
}
