/**
 * The module `node:http`. An `import` would evaluate all its exports, and one of them loads `fetch` and `WebSocket`,
 * which would add a fifth to the time to import this package.
 */
export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http');
