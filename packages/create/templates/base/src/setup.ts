import type { Manager } from '@mcr/core';
import { addDashboard } from '@mcr/dashboard';

/** Adds the fleet page, the controllers and the webhooks to the manager. */
export async function setup(manager: Manager): Promise<void> {
  addDashboard(manager, { title: 'my-operator' });
}
