import { createManager, silentLogger } from '@mcr/core';
import { createControlPlane } from '@mcr/envtest';
import { addQuotaController } from './quota-controller.ts';
import { playIn } from './quota-story.ts';

await using controlPlane = await createControlPlane();

const { config } = controlPlane;
const manager = await createManager({ config, logger: silentLogger, metrics: { bindAddress: '0' } });
await addQuotaController(manager);
const end = new AbortController();
const stopped = manager.start(end.signal);
try {
  await playIn(controlPlane);
} finally {
  end.abort();
  await stopped;
}
