import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const load = createRequire(import.meta.url);

/**
 * yaml, loaded when it is first asked for: it takes longer to import (about 20 ms) than most of this package, and many
 * a program reads no kubeconfig. `import()` could wait as well, but would make every function that parses an
 * asynchronous one.
 */
export function loadYaml(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}
