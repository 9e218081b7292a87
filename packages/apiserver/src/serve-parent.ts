import { ApiServer } from './api-server.ts';
import type { Command, Reply, Result } from './protocol.ts';
import { callSchema } from './protocol.ts';

/* Serves the parent process, and ends with it. */

let server: ApiServer | undefined;

async function execute(command: Command): Promise<Result> {
  if (command.method === 'start') {
    server = await ApiServer.start(command);
    return null;
  }
  if (!server) throw new Error(`${command.method} before start`);
  return server.execute(command);
}

async function respond(message: unknown): Promise<void> {
  const { id, command } = callSchema.parse(message);
  const reply = await execute(command).then(
    (result): Reply => ({ id, ok: true, result }),
    (error: unknown): Reply => ({ id, ok: false, error: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(reply);
}

process.on('message', (message) => void respond(message));
process.on('disconnect', () => process.exit(0));
// Ctrl-C, and the end of a terminal or of a service, reach the whole process group. The parent decides when to stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
