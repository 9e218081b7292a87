import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A project that publishes CustomResourceDefinitions in a Go module. */
export interface PublishedProject {
  readonly name: string;
  readonly module: string;
  /** Directory of the definitions in the module. */
  readonly path: string;
}

/** Projects whose definitions kube-apiserver v1.35 accepts. */
export const PROJECTS = {
  argoCd: { name: 'Argo CD', module: 'github.com/argoproj/argo-cd/v3@v3.2.0', path: 'manifests/crds' },
  certManager: {
    name: 'cert-manager',
    module: 'github.com/cert-manager/cert-manager@v1.19.1',
    path: 'deploy/crds',
  },
  clusterApi: { name: 'Cluster API', module: 'sigs.k8s.io/cluster-api@v1.11.3', path: 'config/crd/bases' },
  crossplane: { name: 'Crossplane', module: 'github.com/crossplane/crossplane/v2@v2.1.0', path: 'cluster/crds' },
  gatewayApi: { name: 'Gateway API', module: 'sigs.k8s.io/gateway-api@v1.4.0', path: 'config/crd/experimental' },
  kueue: { name: 'Kueue', module: 'sigs.k8s.io/kueue@v0.17.0', path: 'config/components/crd/bases' },
  leaderWorkerSet: { name: 'LeaderWorkerSet', module: 'sigs.k8s.io/lws@v0.7.0', path: 'config/crd/bases' },
} satisfies Record<string, PublishedProject>;

/** Deadline of a download, in milliseconds. */
const TIMEOUT = 60_000;

/**
 * Downloads a module into the cache of Go. Returns the directory of its definitions; `undefined`, with a message on standard
 * error, if that is not possible here.
 */
export async function definitionsOf({ name, module, path }: PublishedProject): Promise<string | undefined> {
  try {
    const options = { timeout: TIMEOUT, maxBuffer: 1024 * 1024, cwd: '/' };
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], options);
    return join((JSON.parse(stdout) as { readonly Dir: string }).Dir, path);
  } catch {
    process.stderr.write(`left out: ${name}: the Go module ${module} cannot be downloaded\n`);
    return undefined;
  }
}
