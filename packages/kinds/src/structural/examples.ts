import type { StructuralSchema } from './structural-schema.ts';

const EXAMPLES = Symbol('examples');

/** A symbol, because copies keep it, and definitions do not contain it: clones and JSON leave symbols out. */
interface WithExamples extends StructuralSchema {
  readonly [EXAMPLES]?: readonly unknown[];
}

/** Returns metadata with values that match a schema. */
export function withExamples(metadata: StructuralSchema, examples: readonly unknown[]): StructuralSchema {
  const result: WithExamples = { ...metadata, [EXAMPLES]: examples };
  return result;
}

/** Returns the values that {@link withExamples} added to a schema. */
export function examplesOf(schema: WithExamples): readonly unknown[] | undefined {
  return schema[EXAMPLES];
}
