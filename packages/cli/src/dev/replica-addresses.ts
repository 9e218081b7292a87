import { freePort, LOOPBACK } from './free-port.ts';

/** Port of the metrics of the first replica, if it is free. */
const METRICS_PORT = 8080;

/** Where a replica is to listen, as `host:port`. */
export interface ReplicaAddresses {
  readonly metrics: string;
  readonly health: string;
  readonly webhooks: string;
}

/** Chooses the addresses of replicas. */
export async function replicaAddresses(count: number): Promise<ReplicaAddresses[]> {
  const taken = new Set<number>();
  const address = async (preferred?: number): Promise<string> => {
    for (;;) {
      const port = await freePort(preferred);
      if (taken.has(port)) continue;
      taken.add(port);
      return `${LOOPBACK}:${port}`;
    }
  };
  const addresses: ReplicaAddresses[] = [];
  for (let index = 0; index < count; index++) {
    addresses.push({
      metrics: await address(METRICS_PORT + index),
      health: await address(),
      webhooks: await address(),
    });
  }
  return addresses;
}

/** Returns the variables that the config and the program read. */
export function addressVariables({ metrics, health, webhooks }: ReplicaAddresses): Record<string, string> {
  return { METRICS_ADDRESS: metrics, HEALTH_ADDRESS: health, WEBHOOK_ADDRESS: webhooks };
}
