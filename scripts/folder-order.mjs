/**
 * The folders of `src` of each package, in the order of their dependencies: a file imports from its own folder and from
 * folders to the left of it. Tests and fixtures are exempt.
 */
export const folderOrder = {
  client: [
    ...[
      'text',
      'clock',
      'garbage',
      'log',
      'options',
      'errors',
      'json',
      'kinds',
      'config',
      'dns',
      'credentials',
      'transport',
    ],
    ...[
      'tracing',
      'response',
      'discovery',
      'health',
      'packed',
      'shards',
      'watch',
      'client',
      'store',
      'reflector',
      'cache',
      'events',
      'hostile',
    ],
  ],
  core: [
    'errors',
    'log',
    'options',
    'permissions',
    'objects',
    'fleet',
    'sharding',
    'manager',
    'controller',
    'reader',
    'crds',
    'provider',
    'testing',
  ],
};

/** Returns the zones of the ESLint rule `import-x/no-restricted-paths` that enforce {@link folderOrder}. */
export function importZones() {
  return Object.entries(folderOrder).flatMap(([name, order]) =>
    order.slice(0, -1).map((folder, position) => ({
      target: `./packages/${name}/src/${folder}`,
      from: order.slice(position + 1).map((right) => `./packages/${name}/src/${right}`),
      message: `A file in "${folder}" imports only from its own folder and from folders to its left in scripts/folder-order.mjs.`,
    })),
  );
}
