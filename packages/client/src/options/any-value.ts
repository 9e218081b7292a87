import { z } from 'zod';

/** Accepts any value: for options whose values are checked where they are used, so that only their names are checked. */
export const anyValue = z.unknown().optional();
