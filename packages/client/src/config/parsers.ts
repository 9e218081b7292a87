import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type * as Zod from 'zod';

const load = createRequire(import.meta.url);

/*
 * zod and yaml take longer to import (about 70 ms) than all else of this package, and many a program reads no
 * kubeconfig: it runs in a pod, or has its configs from elsewhere. `import()` could wait as well, but would make every
 * function that parses an asynchronous one.
 */

/** zod, loaded when it is first asked for. */
export function loadZod(): typeof Zod {
  return load('zod') as typeof Zod;
}

/** yaml, loaded when it is first asked for. */
export function loadYaml(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}

/** A schema that is made when it is first asked for. */
export function schemaOnDemand<T>(make: (z: (typeof Zod)['z']) => T): () => T {
  let schema: T | undefined;
  return () => (schema ??= make(loadZod().z));
}
