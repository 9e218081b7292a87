/** The FlowSchemas and priority levels of every cluster (upstream: `pkg/apis/flowcontrol/bootstrap` of apiserver). */

const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io/v1';

const metadata = (name: string): object => ({ name, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } });

const ANY = ['*'];
const group = (name: string): object => ({ kind: 'Group', group: { name } });
const user = (name: string): object => ({ kind: 'User', user: { name } });
const accountsOf = (namespace: string): object => ({
  kind: 'ServiceAccount',
  serviceAccount: { name: '*', namespace },
});

const everything = {
  nonResourceRules: [{ nonResourceURLs: ANY, verbs: ANY }],
  resourceRules: [{ apiGroups: ANY, clusterScope: true, namespaces: ANY, resources: ANY, verbs: ANY }],
};
const everyone = [group('system:unauthenticated'), group('system:authenticated')];

interface Flow {
  readonly level: string;
  readonly precedence: number;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: readonly object[];
  /** Default: all requests. */
  readonly rules?: object;
}

const leases = (verbs: readonly string[]): object => ({
  apiGroups: ['coordination.k8s.io'],
  namespaces: ANY,
  resources: ['leases'],
  verbs,
});

const flows: Readonly<Record<string, Flow>> = {
  exempt: { level: 'exempt', precedence: 1, subjects: [group('system:masters')] },
  probes: {
    level: 'exempt',
    precedence: 2,
    subjects: everyone,
    rules: { nonResourceRules: [{ nonResourceURLs: ['/healthz', '/readyz', '/livez'], verbs: ['get'] }] },
  },
  'system-leader-election': {
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), accountsOf('kube-system')],
    rules: { resourceRules: [leases(['get', 'create', 'update'])] },
  },
  'system-node-high': {
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    rules: {
      resourceRules: [
        { apiGroups: [''], clusterScope: true, namespaces: ANY, resources: ['nodes', 'nodes/status'], verbs: ANY },
        leases(ANY),
      ],
    },
  },
  'system-nodes': { level: 'system', precedence: 500, by: 'ByUser', subjects: [group('system:nodes')] },
  'kube-controller-manager': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-controller-manager')],
  },
  'kube-scheduler': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-scheduler')],
  },
  'kube-system-service-accounts': {
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: [accountsOf('kube-system')],
  },
  'service-accounts': {
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
  },
  'global-default': { level: 'global-default', precedence: 9900, by: 'ByUser', subjects: everyone },
  'catch-all': { level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: everyone },
};

/** Shares, lendable percent, and the queues and hand size of a level that queues. */
const levels: Readonly<Record<string, readonly [shares: number, lendable: number, queues?: number, hand?: number]>> = {
  'catch-all': [5, 0],
  'global-default': [20, 50, 128, 6],
  'leader-election': [10, 0, 16, 4],
  'node-high': [40, 25, 64, 6],
  system: [30, 33, 64, 6],
  'workload-high': [40, 50, 128, 6],
  'workload-low': [100, 90, 128, 6],
};

function flowSchema([name, { level, precedence, by, subjects, rules = everything }]: readonly [string, Flow]): object {
  const spec = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by && { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...rules }],
  };
  return { apiVersion: FLOW_CONTROL, kind: 'FlowSchema', metadata: metadata(name), spec };
}

function priorityLevel([name, [shares, lendablePercent, queues, handSize]]: readonly [
  string,
  readonly [number, number, number?, number?],
]): object {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  const limitResponse = queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing };
  const limited = { nominalConcurrencyShares: shares, lendablePercent, limitResponse };
  const spec = { type: 'Limited', limited };
  return { apiVersion: FLOW_CONTROL, kind: 'PriorityLevelConfiguration', metadata: metadata(name), spec };
}

/** Returns the objects of API priority and fairness that every cluster has. */
export function flowControlObjects(): object[] {
  const exempt = {
    apiVersion: FLOW_CONTROL,
    kind: 'PriorityLevelConfiguration',
    metadata: metadata('exempt'),
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  };
  return [...Object.entries(flows).map(flowSchema), exempt, ...Object.entries(levels).map(priorityLevel)];
}
