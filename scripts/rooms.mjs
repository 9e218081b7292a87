/**
 * The folders of `src` of each package, in the order of their dependencies: a file imports from its own folder and from
 * folders to the left of it. Tests and fixtures are exempt.
 */
export const rooms = {
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

/** Returns the zones of the ESLint rule `import-x/no-restricted-paths` that enforce {@link rooms}. */
export function importZones() {
  return Object.entries(rooms).flatMap(([name, order]) =>
    order.slice(0, -1).map((room, position) => ({
      target: `./packages/${name}/src/${room}`,
      from: order.slice(position + 1).map((right) => `./packages/${name}/src/${right}`),
      message: `A file in "${room}" imports only from its own folder and from folders to its left in scripts/rooms.mjs.`,
    })),
  );
}
