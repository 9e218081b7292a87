import { LOOPBACK, type ReservedPort, reservePort } from './free-port.ts';

/** Port of the metrics of the first replica, if it is free. */
const METRICS_PORT = 8080;

/** Where a replica is to listen, as `host:port`. */
export interface ReplicaAddresses {
  readonly metrics: string;
  readonly health: string;
  readonly webhooks: string;
}

/** Addresses of replicas. No other program can listen there before they are released. */
export interface ReservedAddresses extends Disposable {
  readonly addresses: readonly ReplicaAddresses[];
}

/** Chooses the addresses of replicas. Dispose the result when the replicas start. */
export async function reserveAddresses(count: number): Promise<ReservedAddresses> {
  const reserved: ReservedPort[] = [];
  const address = async (preferred?: number): Promise<string> => {
    const port = await reservePort(preferred);
    reserved.push(port);
    return `${LOOPBACK}:${port.port}`;
  };
  const addresses: ReplicaAddresses[] = [];
  for (let index = 0; index < count; index++) {
    addresses.push({
      metrics: await address(METRICS_PORT + index),
      health: await address(),
      webhooks: await address(),
    });
  }
  return {
    addresses,
    [Symbol.dispose]: () => {
      for (const port of reserved.splice(0)) port.release();
    },
  };
}

/**
 * Returns the variables that the config and the program read. The webhook server need not wait before it closes, as it does in a
 * cluster: the balancer sends no call to a replica that does not accept connections.
 */
export function addressVariables({ metrics, health, webhooks }: ReplicaAddresses): Record<string, string> {
  return { METRICS_ADDRESS: metrics, HEALTH_ADDRESS: health, WEBHOOK_ADDRESS: webhooks, WEBHOOK_DRAIN_DELAY: '0' };
}
