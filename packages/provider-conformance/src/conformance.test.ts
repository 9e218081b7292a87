import { PolledInventory, PollingProvider } from './polled-inventory.fixture.ts';
import { describeProvider } from './jest.ts';

describeProvider({
  name: 'polling',
  without: {
    unready: 'a listed cluster is always ready',
    ready: 'a listed cluster is always ready',
    interrupt: 'no connection stays open between polls',
  },
  setup: async () => {
    const inventory = new PolledInventory();
    return inventory.setup((options) => new PollingProvider(inventory, options));
  },
  fleetSize: 100,
});
