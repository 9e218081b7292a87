import type { StructuralSchema } from './structural-schema.ts';

/** Returns the schema of a field. Names such as `constructor`, which every object inherits, are no fields. */
export function propertyOf({ properties }: StructuralSchema, name: string): StructuralSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
