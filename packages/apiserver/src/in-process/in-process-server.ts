import { generateKeyPairSync } from 'node:crypto';
import type { Kind, KubernetesObject, RestMapping, Scope, Transport } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import { SigningKey } from '../access/signing-key.ts';
import { LogicalCluster } from '../logical-cluster.ts';
import type { ObjectManifest } from '../protocol.ts';
import { apiObjectSchema } from '../protocol.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { InitialObjectError } from './initial-object-error.ts';
import { storeInitial } from './initial-objects.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { lenientTypes } from './lenient-types.ts';
import { mappingOf, OpenKinds } from './open-kinds.ts';

/** Options of {@link createInProcessServer}. */
export interface InProcessServerOptions {
  /** CustomResourceDefinitions. Default: none; a kind without a definition has a schema that preserves unknown fields. */
  readonly crds?: readonly ObjectManifest[];
  /**
   * Objects that exist from the start. They keep their status, and `uid`, `generation` and times in their metadata. They
   * may be incomplete, and writes may leave them so. Default: none.
   */
  readonly objects?: readonly ObjectManifest[];
}

/** An API server in the process of its only client. It has no port, no certificate and no timers of its own. */
export interface InProcessServer {
  /** Serves requests as a cluster administrator. */
  readonly transport: Transport;
  /**
   * Returns the location of a kind. A kind that nothing defines is defined by this call.
   *
   * @param scope scope of an undefined kind that declares none, as far as the caller knows it. Default: Namespaced, until
   * a call says otherwise.
   * @returns `undefined` if the resource is built in or has a CustomResourceDefinition, without this version.
   * @throws {Error} if the plural or the scope of an undefined kind contradicts earlier calls or objects.
   */
  locate(kind: Kind<KubernetesObject>, scope?: Scope): RestMapping | undefined;
  /** Ends all responses. Later requests fail. */
  close(): Promise<void>;
}

const schema = z.strictObject({
  crds: z.array(apiObjectSchema).optional(),
  objects: z.array(apiObjectSchema).optional(),
} satisfies Record<keyof InProcessServerOptions, z.ZodType>);

const DEFINITION = 'CustomResourceDefinition';

/** Number of events of each resource that a watch can resume from. */
const HISTORY_LIMIT = 10_000;

/** Interval of bookmarks in watches, in milliseconds. */
const BOOKMARK_INTERVAL = 60_000;

/** Shared by all servers of this process. It signs tokens of service accounts. */
let signingKey: SigningKey | undefined;

/**
 * Creates an empty API server that is called within the process, for unit tests. It has the verbs of `ApiServer`, with
 * three differences: it has no objects at the start except the given ones, objects may have namespaces and owners that
 * never existed, and it accepts kinds that are not defined.
 *
 * @param caller name of the function or class in errors of options. Default: `createInProcessServer`.
 * @throws {TypeError} that names the option, if one is wrong.
 * @throws {InitialObjectError} if an object cannot be stored.
 */
export function createInProcessServer(
  options: InProcessServerOptions = {},
  caller = 'createInProcessServer',
): InProcessServer {
  parseOptions(caller, schema, options, '{ objects: [cart] }');
  const { crds = [], objects = [] } = options;
  signingKey ??= new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const cluster = LogicalCluster.inProcess({
    historyLimit: HISTORY_LIMIT,
    bookmarkInterval: BOOKMARK_INTERVAL,
    signingKey,
    types: lenientTypes(),
  });
  const kinds = new OpenKinds(cluster, cluster.webhooks);
  const named = (option: 'crds' | 'objects', index: number, object: ObjectManifest, store: () => void): void => {
    try {
      store();
    } catch (cause) {
      throw new InitialObjectError({ option, index, object, cause });
    }
  };
  for (const [index, crd] of crds.entries()) {
    named('crds', index, crd, () => {
      if (crd.kind !== DEFINITION) throw new Error(`expected a ${DEFINITION}: pass other objects in "objects"`);
      cluster.create(structuredClone(crd));
    });
  }
  for (const [index, object] of objects.entries()) {
    named('objects', index, object, () => {
      // Copies, because verbs change what they are given.
      const copy = structuredClone(object);
      if (object.kind === DEFINITION) cluster.create(copy);
      else storeObject(cluster, kinds, copy);
    });
  }
  const transport = new InProcessTransport({
    serve: (request, response) => cluster.serve(request, response),
    headers: { authorization: `Bearer ${cluster.firstToken}`, 'user-agent': 'mcr' },
  });
  return {
    transport,
    locate(kind, scope) {
      const type = kinds.typeOf(kind, scope);
      return type && mappingOf(type, kind);
    },
    async close() {
      await transport.close();
      await cluster.close();
    },
  };
}

function storeObject(cluster: LogicalCluster, kinds: OpenKinds, object: ObjectManifest): void {
  const scope = object.metadata['namespace'] === undefined ? 'Cluster' : 'Namespaced';
  const type = kinds.typeOf(object, scope);
  if (!type) throw new Error(`no definition of ${object.kind} has the version ${object.apiVersion}`);
  storeInitial(cluster, type, object as unknown as ApiObject);
}
