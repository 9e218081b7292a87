import type { Manager } from '@mcr/core';
import { addController } from './controller.ts';

/** Adds the controllers to the manager. */
export async function setup(manager: Manager): Promise<void> {
  await addController(manager);
}
