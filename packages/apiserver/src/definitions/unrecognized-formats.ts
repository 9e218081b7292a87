import type { DefinitionSpec } from './definition.ts';
import { someSchema } from './json-schema.ts';
import { isKnownFormat } from '../schema/formats.ts';

/** Returns the formats of texts in the schemas of a definition that a server does not check. */
export function unrecognizedFormats({ versions = [] }: DefinitionSpec): string[] {
  const formats = new Set<string>();
  for (const { schema } of versions) {
    someSchema(schema?.openAPIV3Schema, ({ type, format = '' }) => {
      if (type === 'string' && format !== '' && !isKnownFormat(format)) formats.add(format);
      return false;
    });
  }
  return [...formats];
}
