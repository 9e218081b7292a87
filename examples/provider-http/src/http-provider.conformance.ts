// Imported by the name of the package, so that the tests use what is published.
import { HttpProvider } from '@mcr/example-provider-http';
import { describeProvider } from '@mcr/provider-conformance/node-test';
import { inventoryOverHttp } from './inventory-server.fixture.ts';

describeProvider({
  name: 'http',
  without: {
    interrupt: 'no connection stays open between polls',
  },
  setup: () => inventoryOverHttp((options) => new HttpProvider(options)),
});
