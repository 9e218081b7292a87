/**
 * Node's own HTTP/1.1. An `import` reads every export of the module, and one of them loads all of `fetch` and
 * `WebSocket`: a fifth of what importing this package would take.
 */
export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http');
