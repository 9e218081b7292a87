import type * as apiserver from '@mcr/apiserver';
import type { Manifest } from '@mcr/apiserver/manifests';
import type {
  DeepReadonly,
  Draft,
  Kind,
  KubernetesObject,
  RestMapper,
  RestMapping,
  Scope,
  Transport,
} from '@mcr/client';
import { createRestMapper, kindText } from '@mcr/client';
import { withoutUnconverted } from './unconverted-versions.ts';

/** An object of any kind that exists from the start, with its `apiVersion`, `kind` and name. */
export type InitialObject =
  | (Pick<KubernetesObject, 'apiVersion' | 'kind'> & DeepReadonly<Draft<KubernetesObject>>)
  // Lets literals have fields of any kind.
  | (Pick<KubernetesObject, 'apiVersion' | 'kind'> &
      DeepReadonly<Draft<KubernetesObject>> &
      Readonly<Record<string, unknown>>);

/** Options of the API server in an {@link InMemoryClient}. */
export interface InMemoryServerOptions {
  /**
   * CustomResourceDefinitions. Objects of their kinds are validated, defaulted and pruned. Default: none; a kind without
   * a definition accepts all fields, and has the subresource `status`. Its plural and scope are those that a `Kind`
   * declares. Until then, the plural is guessed, and the scope is that of the first object or key. Calls that contradict
   * earlier ones, or initial objects, throw an `Error`. Of a definition with several versions and no `spec.conversion`,
   * only the stored version is served, because the server would drop fields of the others; if they need no conversion,
   * set its strategy to `None`.
   */
  readonly crds?: readonly InitialObject[];
  /**
   * Files with CustomResourceDefinitions, or directories of such files. They are read at the first call. Default: none.
   */
  readonly crdPaths?: readonly string[];
}

type ApiServerPackage = typeof apiserver;

let loaded: ApiServerPackage | undefined;

/** An API server in this process, created at the first call. */
export class InMemoryServer {
  readonly transport: Transport;
  readonly restMapper: RestMapper;
  /** JSON of the initial objects: a test may change what it passed. */
  readonly #objects: string;
  readonly #options: InMemoryServerOptions;
  #refusals: ReadonlyMap<string, string> = new Map();
  readonly #owner: string;
  #opening: Promise<apiserver.InProcessServer> | undefined;
  #server: apiserver.InProcessServer | undefined;

  /** @param owner name of the class that the test created, for errors. */
  constructor(objects: readonly InitialObject[], options: InMemoryServerOptions, owner: string) {
    this.#objects = JSON.stringify(objects, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
    this.#options = options;
    this.#owner = owner;
    this.transport = {
      send: async (request) => (this.#server ?? (await this.#open())).transport.send(request),
      rotate: async () => undefined,
      onCredentials: () => () => undefined,
      ping: async () => 'answered',
      close: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
    const discovering = createRestMapper(this.transport);
    this.restMapper = {
      resolve: async (kind) => (await this.locate(kind)) ?? discovering.resolve(kind),
      forget: (kind) => discovering.forget(kind),
      resources: () => discovering.resources(),
    };
  }

  /**
   * @param scope scope of a kind that declares none, as far as the caller knows it.
   * @throws {Error} if the kind is a version that is left out because it needs a conversion.
   */
  async locate(kind: Kind<KubernetesObject>, scope?: Scope): Promise<RestMapping | undefined> {
    const mapping = (this.#server ?? (await this.#open())).locate(kind, scope);
    const refusal = mapping ? undefined : this.#refusals.get(kindText(kind));
    if (refusal !== undefined) throw new Error(refusal);
    return mapping;
  }

  /** Creates the server at the first call, and at the next one after a failure. */
  #open(): Promise<apiserver.InProcessServer> {
    this.#opening ??= this.#create().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #create(): Promise<apiserver.InProcessServer> {
    loaded ??= await load();
    const { crds = [], crdPaths = [] } = this.#options;
    const read = crdPaths.length > 0 ? await readDefinitions(crdPaths) : [];
    const objects = JSON.parse(this.#objects) as apiserver.ObjectManifest[];
    // The server checks the objects.
    const { crds: served, refusals } = withoutUnconverted(crds);
    const given = served as unknown as readonly apiserver.ObjectManifest[];
    this.#refusals = refusals;
    try {
      const options = { crds: [...given, ...read.map(({ object }) => object)], objects };
      this.#server = loaded.createInProcessServer(options, this.#owner);
    } catch (error) {
      if (!(error instanceof loaded.InitialObjectError) || error.option !== 'crds') throw error;
      const definition = read[error.index - given.length];
      if (!definition) throw error;
      throw new Error(`crdPaths: ${definition.source}: ${error.detail}`, { cause: error });
    }
    return this.#server;
  }
}

/** @throws {Error} that says what to install, if the package is missing. */
async function load(): Promise<ApiServerPackage> {
  try {
    return await import('@mcr/apiserver');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@mcr/apiserver')) throw cause;
    throw new Error(
      'InMemoryClient and InMemoryCluster need the package @mcr/apiserver: npm install --save-dev @mcr/apiserver',
      { cause },
    );
  }
}

async function readDefinitions(paths: readonly string[]): Promise<Manifest[]> {
  const { readDefinitions: read } = await import('@mcr/apiserver/manifests');
  return read(paths);
}
