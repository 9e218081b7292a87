import { PolledInventory, PollingProvider } from './polled-inventory.fixture.ts';
import { describeProvider } from './jest.ts';

describeProvider({
  name: 'polling',
  setup: async () => {
    const inventory = new PolledInventory();
    return inventory.setup((options) => new PollingProvider(inventory, options));
  },
  fleetSize: 100,
});
