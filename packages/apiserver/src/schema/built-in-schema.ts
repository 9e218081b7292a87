import { clusterTypes } from './built-in/cluster.ts';
import { containerTypes } from './built-in/container.ts';
import { coreTypes } from './built-in/core.ts';
import { deviceTypes } from './built-in/devices.ts';
import { extensionTypes } from './built-in/extension.ts';
import { flowControlTypes } from './built-in/flow-control.ts';
import { metaTypes } from './built-in/meta.ts';
import { compileTypes } from './built-in/notation.ts';
import { podTypes } from './built-in/pod.ts';
import { storageTypes } from './built-in/storage.ts';
import { volumeTypes } from './built-in/volume.ts';
import { workloadTypes } from './built-in/workload.ts';
import type { Schema } from './schema.ts';

const { schemaOf, nameOf } = compileTypes({
  ...metaTypes,
  ...volumeTypes,
  ...containerTypes,
  ...podTypes,
  ...coreTypes,
  ...workloadTypes,
  ...clusterTypes,
  ...storageTypes,
  ...flowControlTypes,
  ...deviceTypes,
  ...extensionTypes,
});

/** Returns the schema of a built-in kind. @param type name in the tables. */
export function builtInSchema(type: string): Schema {
  return objectSchema(schemaOf(type));
}

/** Returns the name of a part of a built-in schema in the tables. */
export const builtInTypeName: (schema: Schema) => string | undefined = nameOf;

/** Adds the fields of every object to a schema. */
export function objectSchema(schema: Schema): Schema {
  const text: Schema = { type: 'string' };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata: schemaOf('ObjectMeta') };
  return { ...schema, properties };
}
