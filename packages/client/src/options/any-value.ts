import * as z from 'zod';

/** Accepts any value. For options whose values are checked where they are used; here, only their names are checked. */
export const anyValue = z.unknown().optional();
