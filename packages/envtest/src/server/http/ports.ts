/**
 * Ports that no system gives to outgoing connections (Linux begins at 32,768): while a server is down, a connection
 * could get its port, and the server could not come back to it.
 */
export const PORTS = { from: 10_000, to: 32_768 };
