import type { Change } from './resource-type.ts';

/** Returns a hook that sets absent fields of a part of an object. */
export function setDefaults(part: string, defaults: object): (change: Change) => void {
  return ({ object }) => {
    const present = object[part];
    if (typeof present === 'object' && present !== null) object[part] = { ...defaults, ...present };
  };
}
