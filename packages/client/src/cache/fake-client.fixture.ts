import type { Client, ListOptions, WatchOptions } from '../client/client.ts';
import type { PackedReader } from '../client/packed-reader.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { ScriptedListerWatcher } from '../reflector/scripted-lister-watcher.fixture.ts';

/** The methods of a client that a cache uses. Each kind and namespace is a {@link ScriptedListerWatcher}. */
export class FakeClient {
  readonly #servers = new Map<string, ScriptedListerWatcher>();
  /** Options of every list and watch. */
  readonly requests: (ListOptions | WatchOptions)[] = [];

  server(kind: Kind<KubernetesObject>, namespace = ''): ScriptedListerWatcher {
    const key = `${kindText(kind)} ${namespace}`;
    const server = this.#servers.get(key) ?? new ScriptedListerWatcher();
    this.#servers.set(key, server);
    return server;
  }

  /** Has only these methods. */
  get client(): Client {
    const packed: PackedReader = {
      list: (kind, options: ListOptions & { signal: AbortSignal }) => {
        this.requests.push(options);
        return this.server(kind, options.namespace).list(options);
      },
      watch: (kind, options: WatchOptions & { timeoutSeconds: number }) => {
        this.requests.push(options);
        return this.server(kind, options.namespace).watch(options);
      },
    };
    return { packed, onCredentials: () => () => undefined } as unknown as Client;
  }
}
