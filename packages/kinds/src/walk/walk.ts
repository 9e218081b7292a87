import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { Place } from './place.ts';

/** Translates a schema that another one contains. */
export type Walk = (schema: core.$ZodType, place: Place) => StructuralSchema;
