import { createManager, shutdownSignal } from '@mcr/core';
import config from '../mcr.config.ts';

const manager = await createManager(config.manager());
await config.setup(manager);
try {
  await manager.start(shutdownSignal().signal);
} catch (error) {
  manager.logger.error('the program failed', { error });
  process.exit(1);
}
