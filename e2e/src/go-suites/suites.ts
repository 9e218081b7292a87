/** A Go module whose tests run against the embedded API server, unpatched. */
export interface Suites {
  readonly module: string;
  readonly version: string;
  /** Packages whose tests start an envtest. */
  readonly packages: readonly string[];
}

/** Tests that are known to fail, and why. */
export interface KnownFailure {
  readonly module: string;
  readonly package: string;
  /** A part of the full name of the test. */
  readonly test: string;
  readonly reason: string;
}

const CONTROLLER_RUNTIME = 'sigs.k8s.io/controller-runtime';
const MULTICLUSTER_RUNTIME = 'sigs.k8s.io/multicluster-runtime';

export const SUITES: readonly Suites[] = [
  {
    module: CONTROLLER_RUNTIME,
    version: 'v0.23.3',
    packages: [
      'pkg/builder',
      'pkg/cache',
      'pkg/client',
      'pkg/client/apiutil',
      'pkg/cluster',
      'pkg/controller',
      'pkg/controller/controllerutil',
      'pkg/envtest',
      'pkg/handler',
      'pkg/internal/controller',
      'pkg/internal/recorder',
      'pkg/internal/testing/controlplane',
      'pkg/manager',
      'pkg/manager/internal/integration',
      'pkg/source',
      'pkg/webhook',
    ],
  },
  {
    module: MULTICLUSTER_RUNTIME,
    version: 'v0.23.3',
    packages: [
      'pkg/builder',
      'pkg/manager/coordinator/sharded',
      'providers/clusters',
      'providers/kubeconfig',
      'providers/multi',
      'providers/namespace',
    ],
  },
];

const TIMING = 'the test waits 100 ms for the manager to stop, which is too short on a busy machine';
const DOWNLOAD =
  'downloads kube-apiserver v1.28 with feature gate AggregatedDiscoveryEndpoint=false: needs the Internet';

const SYNCED = 'the test expects that an informer has not synced yet when it looks, which is a race';

export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    module: CONTROLLER_RUNTIME,
    package: 'pkg/manager',
    test: 'should refuse to add runnable if stop procedure is already engaged',
    reason: TIMING,
  },
  {
    module: CONTROLLER_RUNTIME,
    package: 'pkg/cache',
    test: 'should allow getting an informer by group/version/kind to be cancelled',
    reason: SYNCED,
  },
  { module: CONTROLLER_RUNTIME, package: 'pkg/client/apiutil', test: 'TestApiMachinery', reason: DOWNLOAD },
  { module: CONTROLLER_RUNTIME, package: 'pkg/client/apiutil', test: 'TestLazyRestMapperProvider', reason: DOWNLOAD },
];
