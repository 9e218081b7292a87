import { ownField } from '@mcr/client';
import type { StructuralSchema } from './structural-schema.ts';

/** Returns the schema of a field. Objects inherit names such as `constructor`, which do not count. */
export function propertyOf({ properties }: StructuralSchema, name: string): StructuralSchema | undefined {
  return properties && ownField(properties, name);
}
