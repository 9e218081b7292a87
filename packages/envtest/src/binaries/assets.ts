import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

/** Default directory of the programs, as in the `envtest` package of controller-runtime. */
const DEFAULT_FOLDER = '/usr/local/kubebuilder/bin';

/** Paths of the programs of a control plane. */
export interface Assets {
  readonly etcd: string;
  readonly apiServer: string;
}

/**
 * Returns the paths of the programs of backend `binaries`: in `$KUBEBUILDER_ASSETS`, by default
 * `/usr/local/kubebuilder/bin`.
 *
 * @throws {Error} that names the program that does not exist or is not executable.
 */
export async function findAssets({ KUBEBUILDER_ASSETS: folder }: NodeJS.ProcessEnv = process.env): Promise<Assets> {
  const find = async (name: string): Promise<string> => {
    const path = join(folder || DEFAULT_FOLDER, name);
    await access(path, constants.X_OK).catch((cause: unknown) => {
      const why = `backend "binaries" needs the program ${path}, which does not exist or is not executable`;
      const next = 'set KUBEBUILDER_ASSETS to the folder that "setup-envtest use -p path" prints';
      throw new Error(`${why}: ${next}`, { cause });
    });
    return path;
  };
  return { etcd: await find('etcd'), apiServer: await find('kube-apiserver') };
}
