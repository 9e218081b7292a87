const GENERAL = `Kubernetes control planes for tests and demos, with the embedded API server.

Usage:
  mcr-envtest up [flags]       start a hub and members, and write kubeconfig files
  mcr-envtest assets DIR       write kube-apiserver and etcd programs for envtest suites
  mcr-envtest COMMAND --help
`;

const UP = `Starts a hub and members, and serves them until Ctrl-C.

Usage:
  mcr-envtest up [flags]

  --members N       number of members (default 3)
  --crds PATH       file or directory with CustomResourceDefinitions, installed in each cluster; repeatable
  --load PATH       file or directory with objects, applied to each cluster; repeatable
  --port N          port of the hub; the members use the next ones (default: free ports)
  --dir DIR         directory for kubeconfig files (default: a temporary one, deleted at the end)
  --data-dir DIR    directory that keeps the objects after the end (default: in memory)
  --json            print one line of JSON instead of a table
  --help

Exit codes: 0 after --help, 1 if it cannot start or a cluster ends, 2 for wrong arguments, 130 after Ctrl-C,
143 after SIGTERM, 129 if the terminal is closed.
`;

const ASSETS = `Writes programs named kube-apiserver and etcd, which start the embedded API server.

Usage:
  mcr-envtest assets DIR
  KUBEBUILDER_ASSETS=DIR go test ./...

The programs start this Node.js and this installation of the package: write them again after you move either.
They need a POSIX shell.
`;

/** Returns the help of a command, or of the program. */
export function helpOf(about: 'up' | 'assets' | undefined): string {
  if (about === undefined) return GENERAL;
  return about === 'up' ? UP : ASSETS;
}
