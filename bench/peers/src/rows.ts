import type { Resource } from './program.ts';

export type PeerId = 'mcr' | 'controller-runtime' | 'kube-rs' | 'client-node' | 'bare';

/** Amount of work: all of it, or just enough to see that a row runs. */
export type Size = 'full' | 'smoke';

/** Contents of the canned server of a row. */
export interface Serving {
  readonly resource: Resource;
  /** Resources that have objects. */
  readonly resources: readonly string[];
  readonly clusters: number;
  /** Number of objects of each resource in each cluster. */
  readonly objects: number;
  /** Number of updates in each cluster, as fast as the client reads or at `rate` per second. */
  readonly updates: number;
  readonly rate: number;
}

/** A step of a program: wall time, processor time, and the resident memory of the process after it. */
export interface Step {
  readonly ms: number;
  readonly cpu: number;
  readonly rss: number;
  readonly [figure: string]: number;
}

/** One run of a program. */
export interface Run {
  /** The first step is the idle program, before it connects. */
  readonly steps: readonly Step[];
  /** Clusters and objects of this run. */
  readonly clusters: number;
  readonly objects: number;
  readonly updates: number;
  /** Lists that the server saw after the rotation of credentials. */
  readonly relists: number;
  /** Processor seconds of the server. */
  readonly server: number;
}

/** A line of the table. */
export interface Line {
  readonly title: string;
  readonly value: (run: Run) => number;
  /** Digits after the decimal point. */
  readonly digits?: number;
  /** Returns true for a number of clusters from which the figure was extrapolated. */
  readonly extrapolated?: (clusters: number) => boolean;
  /** Peers whose figure would say nothing. */
  readonly without?: readonly PeerId[];
}

export interface Row {
  readonly id: string;
  readonly peers: readonly PeerId[];
  /** Undefined: the row needs no server. */
  readonly serving?: (size: Size, peer: PeerId) => Serving;
  /** Number of items of a row without a server. */
  readonly items?: (size: Size) => number;
  /** Times that the program repeats its step; the first ones warm it up. */
  readonly repeat?: (size: Size) => { warmUp: number; measured: number };
  readonly lines: readonly Line[];
}

const ALL: readonly PeerId[] = ['mcr', 'controller-runtime', 'kube-rs', 'client-node', 'bare'];
/** Cluster counts are extrapolated for peers that take minutes for all of them. */
const ENGAGED = 1_000;
const ENGAGED_BY_SLOW_PEERS = 50;

export const rows: readonly Row[] = [
  sync('sync-pods', 'pods', 'Pods'),
  sync('sync-configmaps', 'configmaps', 'ConfigMaps'),
  sync('sync-widgets', 'widgets', 'custom resources'),
  watch('watch-pods', 'pods', 'Pods'),
  watch('watch-widgets', 'widgets', 'custom resources'),
  {
    id: 'queue',
    peers: ['mcr', 'controller-runtime', 'bare'],
    items: (size) => (size === 'full' ? 100_000 : 1_000),
    repeat: (size) => (size === 'full' ? { warmUp: 10, measured: 9 } : { warmUp: 0, measured: 1 }),
    lines: throughput('queue', 'items'),
  },
  {
    id: 'reconciles',
    peers: ['mcr', 'controller-runtime', 'kube-rs', 'bare'],
    items: (size) => (size === 'full' ? 100_000 : 1_000),
    repeat: (size) => (size === 'full' ? { warmUp: 3, measured: 9 } : { warmUp: 0, measured: 1 }),
    lines: throughput('no-op reconciles', 'reconciles'),
  },
  {
    id: 'engage',
    peers: ALL,
    serving: (size, peer) => ({
      resource: 'configmaps',
      resources: ['configmaps', 'secrets', 'serviceaccounts'],
      clusters: size === 'smoke' ? 5 : peer === 'controller-runtime' ? ENGAGED_BY_SLOW_PEERS : ENGAGED,
      objects: 10,
      updates: 0,
      rate: 0,
    }),
    lines: [
      {
        title: 'engage 1,000 clusters, ms',
        value: (run) => perThousand(run, last(run).ms),
        extrapolated: (clusters) => clusters < ENGAGED,
      },
      {
        title: 'the same, client CPU s',
        value: (run) => perThousand(run, last(run).cpu),
        digits: 2,
        extrapolated: (clusters) => clusters < ENGAGED,
      },
      { title: 'memory per idle cluster, KB RSS', value: (run) => grown(run) / run.clusters / 1e3 },
    ],
  },
  {
    id: 'latency',
    peers: ['mcr', 'controller-runtime', 'kube-rs', 'bare'],
    serving: (size) => ({
      resource: 'configmaps',
      resources: ['configmaps'],
      clusters: size === 'full' ? 100 : 3,
      objects: 10,
      updates: size === 'full' ? 100 : 5,
      rate: 10,
    }),
    lines: [
      { title: 'change → reconcile, p50, ms', value: (run) => last(run)['p50'] ?? NaN, digits: 2 },
      { title: 'change → reconcile, p99, ms', value: (run) => last(run)['p99'] ?? NaN, digits: 2 },
      { title: '100 clusters at 10 changes/s for 10 s, client CPU s', value: (run) => last(run).cpu, digits: 2 },
    ],
  },
  {
    id: 'rotate',
    peers: ['mcr', 'controller-runtime'],
    serving: (size) => ({
      resource: 'configmaps',
      resources: ['configmaps'],
      clusters: size === 'full' ? 100 : 3,
      objects: size === 'full' ? 1_000 : 10,
      updates: 1,
      rate: 0,
    }),
    lines: [
      { title: 'rotate 100 clusters of 1,000 objects, relists', value: (run) => run.relists },
      { title: 'the same, reconciles of unchanged objects', value: (run) => last(run)['reconciles'] ?? NaN },
      {
        title: 'the same, client CPU s',
        value: ({ steps }) => (steps[2]?.cpu ?? NaN) + (steps[3]?.cpu ?? NaN),
        digits: 2,
      },
    ],
  },
  {
    id: 'start',
    peers: ALL,
    lines: [
      { title: 'cold start, ms', value: ({ steps }) => steps[0]?.ms ?? NaN },
      { title: 'cold start, MB RSS', value: ({ steps }) => (steps[0]?.rss ?? NaN) / 1e6 },
    ],
  },
];

function sync(id: string, resource: Resource, title: string): Row {
  return {
    id,
    peers: ALL,
    serving: (size) => {
      const objects = size === 'full' ? 100_000 : 200;
      return { resource, resources: [resource], clusters: 1, objects, updates: 0, rate: 0 };
    },
    lines: [
      { title: `sync 100,000 ${title}, ms`, value: (run) => last(run).ms },
      { title: 'the same, client CPU s', value: (run) => last(run).cpu, digits: 2 },
      {
        title: 'memory per object, KB RSS',
        value: (run) => grown(run) / run.objects / 1e3,
        digits: 1,
        without: ['bare'],
      },
    ],
  };
}

function watch(id: string, resource: Resource, title: string): Row {
  return {
    id,
    peers: ALL,
    serving: (size) => {
      const [objects, updates] = size === 'full' ? [10_000, 200_000] : [100, 500];
      return { resource, resources: [resource], clusters: 1, objects, updates, rate: 0 };
    },
    lines: [
      { title: `watch ${title}, updates/s`, value: (run) => (run.updates * 1000) / last(run).ms },
      { title: `watch ${title}, updates per client CPU s`, value: (run) => run.updates / last(run).cpu },
    ],
  };
}

function throughput(title: string, unit: string): Line[] {
  return [
    { title: `${title}, ${unit}/s`, value: (run) => (run.objects * 1000) / last(run).ms },
    { title: `${title}, ${unit} per CPU s`, value: (run) => run.objects / last(run).cpu },
  ];
}

function last({ steps }: Run): Step {
  const step = steps.at(-1);
  if (!step) throw new Error('the program reported nothing');
  return step;
}

/** Bytes of resident memory since the program was idle. */
function grown(run: Run): number {
  return last(run).rss - (run.steps[0]?.rss ?? NaN);
}

function perThousand({ clusters }: Run, value: number): number {
  return (value * ENGAGED) / clusters;
}
