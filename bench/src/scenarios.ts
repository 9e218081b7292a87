import { fleetStart } from './api-server/fleet-start.ts';
import { largeList } from './api-server/large-list.ts';
import { logicalClusters } from './api-server/logical-clusters.ts';
import { longWork } from './api-server/long-work.ts';
import { watchFanOut } from './api-server/watch-fan-out.ts';
import { cachedReads } from './cached-reads.ts';
import { changeLatency } from './change-latency.ts';
import { engageBesideDead } from './engage-beside-dead.ts';
import { engageFleet } from './engage-fleet.ts';
import { eventLoopStall } from './event-loop-stall.ts';
import { growth } from './growth.ts';
import { idleClusters } from './idle-clusters.ts';
import { importTime } from './import-time.ts';
import { listCached } from './list-cached.ts';
import { listIntoCache, listWithIndex } from './list-into-cache.ts';
import { memoryPerObject } from './memory-per-object.ts';
import { millionObjects } from './million-objects.ts';
import { noOpReconciles } from './no-op-reconciles.ts';
import { recoveryAfterOutage } from './recovery-after-outage.ts';
import { rotateCredentials } from './rotate-credentials.ts';
import type { Scenario } from './scenario.ts';
import { shardedFleet } from './sharded-fleet.ts';
import { slowMembers } from './slow-members.ts';
import { watchEvents } from './watch-events.ts';
import { workqueueThroughput } from './workqueue-throughput.ts';

export const scenarios: readonly Scenario[] = [
  listIntoCache,
  listWithIndex,
  watchEvents,
  workqueueThroughput,
  noOpReconciles,
  memoryPerObject,
  idleClusters,
  eventLoopStall,
  engageFleet,
  engageBesideDead,
  changeLatency,
  rotateCredentials,
  importTime,
  growth,
  shardedFleet,
  millionObjects,
  cachedReads,
  slowMembers,
  recoveryAfterOutage,
  listCached,
  longWork,
  watchFanOut,
  largeList,
  logicalClusters,
  fleetStart,
];
