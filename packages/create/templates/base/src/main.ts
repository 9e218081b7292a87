import { createManager, shutdownSignal } from '@mcr/core';
import config from '../mcr.config.ts';

const manager = await createManager(config.manager());
await config.setup(manager);
await manager.start(shutdownSignal().signal);
