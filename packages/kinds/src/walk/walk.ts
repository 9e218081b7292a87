import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { SchemaPath } from './schema-path.ts';

/** Translates a schema that another one contains. */
export type Walk = (schema: core.$ZodType, at: SchemaPath) => StructuralSchema;
