import { PolledInventory, PollingProvider } from './polled-inventory.fixture.ts';
import { describeProvider } from './jest.ts';

describeProvider({
  name: 'polling',
  without: {
    unready: 'being listed is being ready',
    ready: 'being listed is being ready',
    interrupt: 'nothing stays open between two readings',
  },
  setup: async () => {
    const inventory = new PolledInventory();
    return inventory.setup((options) => new PollingProvider(inventory, options));
  },
  fleetSize: 100,
});
