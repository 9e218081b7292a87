import type { JsonObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

/**
 * Returns a hook that replaces an empty list by `null`, as a real server stores it. The manager that sent the list owns it.
 *
 * @param path dotted path of the object with the list. @param field name of the list.
 */
export function emptyListIsNull(path: string, field: string): (change: Change) => void {
  return ({ object }) => {
    const holder = valueAt(object, path);
    if (typeof holder !== 'object' || holder === null) return;
    const list = valueAt(holder, field);
    if (Array.isArray(list) && list.length === 0) (holder as JsonObject)[field] = null;
  };
}
