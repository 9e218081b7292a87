import { join } from 'node:path';
import type { BackendName } from '../backend/run.ts';

/** A file of tests that can be chosen by name. */
export interface Entry {
  readonly name: string;
  readonly about: string;
  /** Set if not every backend plays it. */
  readonly only?: { readonly backends: readonly BackendName[]; readonly reason: string };
}

const SOURCES = join(import.meta.dirname, '..');

/** The file of an entry. */
export function fileOf({ name, only }: Entry): string {
  return join(SOURCES, only ? '' : 'scenarios', `${name}.e2e.ts`);
}

const embeddedOnly = (reason: string) => ({ backends: ['embedded'] as const, reason: `embedded only: ${reason}` });
const startsItsOwn = { backends: ['embedded', 'binaries'] as const, reason: 'starts control planes of its own' };

/** Whole-fleet scenarios first: every backend plays them, as far as it can. */
export const CATALOGUE: readonly Entry[] = [
  { name: 'join-and-leave', about: 'members join beside broken ones, leave, and join again' },
  { name: 'rotation', about: 'credentials rotate in place, before and after the old ones are revoked' },
  { name: 'retargeting', about: 'a kubeconfig names another server under the same cluster name' },
  { name: 'member-restart', about: 'members and the hub are killed and come back' },
  { name: 'controller-killed', about: 'the controller process is killed and comes back' },
  { name: 'leader-failover', about: 'one manager process takes over from another' },
  { name: 'sharded-fleet', about: 'replicas divide the members, join, pause, crash and stop' },
  { name: 'sharded-objects', about: 'replicas divide the objects of the hub, join and stop' },
  { name: 'sharded-placement', about: 'replicas place objects of the hub in the members, join and stop' },
  { name: 'network', about: 'a member whose connections are reset, or never answer' },
  { name: 'compaction', about: 'changes behind a cut connection, in a history that was compacted' },
  { name: 'provider-kubeconfig', about: 'clusters from kubeconfig Secrets' },
  { name: 'provider-file', about: 'clusters from kubeconfig files' },
  { name: 'provider-capi', about: 'clusters from Cluster API' },
  { name: 'provider-inventory', about: 'clusters from ClusterProfiles' },
  { name: 'provider-namespace', about: 'namespaces as clusters' },
  { name: 'provider-kind', about: 'clusters from Kind; a stand-in for it unless the backend is kind' },
  { name: 'provider-multi', about: 'several providers behind one' },
  { name: 'sync', about: 'objects of the hub are copied to every member' },
  { name: 'cluster-lifecycle', about: 'a Cluster object is created, engaged and deleted by its actuator' },
  { name: 'examples-rbac', about: 'examples under exactly the roles that they publish' },
  {
    name: 'runner',
    about: 'this runner: arguments, Ctrl-C, crashes, existing clusters',
    only: embeddedOnly('tests the runner itself'),
  },
  {
    name: 'bare-clusters',
    about: 'this runner on existing clusters that have no namespace controller',
    only: {
      backends: ['binaries'],
      reason: 'binaries only: needs API servers without a namespace controller',
    },
  },
  {
    name: 'churn',
    about: 'seeded random changes of a fleet of twelve',
    only: embeddedOnly('one process serves several members, which are suspended one by one'),
  },
  {
    name: 'perturbation',
    about: 'seeded faults on every boundary of a controller',
    only: embeddedOnly('needs hundreds of fresh clusters'),
  },
  { name: 'faults/recovery', about: 'the time from a server that answers again to current caches', only: startsItsOwn },
  {
    name: 'faults/health',
    about: 'a cluster whose storage or process stops, until it is unreachable',
    only: startsItsOwn,
  },
  {
    name: 'faults/watch',
    about: 'faults of a watched cluster, in virtual time',
    only: embeddedOnly('ends watches and drops history on demand'),
  },
  {
    name: 'faults/watch-oracles',
    about: 'what a watch must never show, under seeded faults',
    only: embeddedOnly('ends watches and drops history on demand'),
  },
  {
    name: 'faults/hub',
    about: 'faults of the hub',
    only: embeddedOnly('suspends the hub on demand'),
  },
  {
    name: 'faults/placement',
    about: 'placements beside members that are half-open, refuse, are late or away, and a hub that is cut off',
    only: embeddedOnly('latency limits hold for servers that answer within milliseconds'),
  },
  {
    name: 'faults/isolation',
    about: 'one faulty member among healthy ones, with latencies measured',
    only: embeddedOnly('latency limits hold for servers that answer within milliseconds'),
  },
  {
    name: 'faults/slow-members',
    about: 'members that lose the calls of reconciles, with the delay of others measured',
    only: embeddedOnly('latency limits hold for servers that answer within milliseconds'),
  },
  {
    name: 'faults/sharding',
    about: 'replicas that crash, pause, stop, are updated, or lose the hub, beside constant changes',
    only: embeddedOnly('needs sixty members and more'),
  },
  {
    name: 'faults/shutdown',
    about: 'SIGTERM in every phase',
    only: embeddedOnly('holds requests back on demand'),
  },
  { name: 'go-judges', about: "Kubernetes' own clients and encoders in Go, with MCR_JUDGES=1", only: startsItsOwn },
  {
    name: 'go-suites',
    about: 'test suites of controller-runtime and multicluster-runtime, with MCR_JUDGES=1',
    only: embeddedOnly('tests the programs that start the embedded server'),
  },
  {
    name: 'python-judges',
    about: 'five clients in Python, with MCR_JUDGES=1',
    only: startsItsOwn,
  },
  { name: 'rust-judges', about: 'kube-rs, with MCR_JUDGES=1', only: startsItsOwn },
  { name: 'crd-judges', about: 'definitions of well-known projects, with MCR_JUDGES=1', only: startsItsOwn },
  {
    name: 'kubelet-judge',
    about: "mcr fleet by ports that the kubelet's own code forwards, with MCR_JUDGES=1",
    only: { backends: ['binaries'], reason: 'binaries only: the embedded server forwards no ports' },
  },
  { name: 'kubectl-judges', about: 'commands of kubectl, with MCR_JUDGES=1', only: startsItsOwn },
  {
    name: 'rbac-sharding',
    about: 'sharding with exactly the permissions of its manifest, and with each one removed',
    only: startsItsOwn,
  },
  {
    name: 'rbac',
    about: 'published roles, with each permission removed in turn',
    only: embeddedOnly('suspends members'),
  },
  {
    name: 'rbac-actuator',
    about: 'the role of the cluster controller, with each permission removed in turn',
    only: embeddedOnly('the embedded server makes the clusters'),
  },
  {
    name: 'rbac-example',
    about: 'the kubeconfig example, with access given by mcr-kubeconfig-secret',
    only: startsItsOwn,
  },
  {
    name: 'custom-provider',
    about: 'the provider of docs/custom-providers.md passes conformance',
    only: embeddedOnly('the conformance suite needs a hundred clusters'),
  },
  { name: 'readme', about: 'the first program of each README, and the Jest test of envtest', only: startsItsOwn },
  { name: 'examples', about: 'every example, from start to end', only: startsItsOwn },
  {
    name: 'dashboard',
    about: 'the fleet page in a browser, where Chromium is installed',
    only: embeddedOnly('tests a page, not clusters'),
  },
  {
    name: 'site',
    about: 'the documentation site, in a browser where Chromium is installed',
    only: embeddedOnly('tests pages, not clusters'),
  },
  {
    name: 'projects',
    about: 'created and extended projects: types, lint, tests, manifests and bundles',
    only: embeddedOnly('tests projects, not clusters'),
  },
  {
    name: 'mcr-dev',
    about: 'mcr dev with three replicas, webhooks and a crash',
    only: embeddedOnly('mcr dev starts clusters of its own'),
  },
  {
    name: 'shells',
    about: 'completion of mcr in bash, zsh and fish, where they are installed',
    only: embeddedOnly('tests shells, not clusters'),
  },
  { name: 'demo', about: 'the demo and its options', only: startsItsOwn },
  {
    name: 'provider-package',
    about: 'a provider of a third party, with packed packages',
    only: embeddedOnly('tests packages, not clusters'),
  },
];

export function entryOf(name: string): Entry | undefined {
  return CATALOGUE.find((entry) => entry.name === name);
}
