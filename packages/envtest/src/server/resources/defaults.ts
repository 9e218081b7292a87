import type { Change } from './resource-type.ts';

/** Gives fields of a part of an object, where they are absent, the values that the server gives them. */
export function setDefaults(part: string, defaults: object): (change: Change) => void {
  return ({ object }) => {
    const present = object[part];
    if (typeof present === 'object' && present !== null) object[part] = { ...defaults, ...present };
  };
}
