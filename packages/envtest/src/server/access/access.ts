import { unauthorized } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import { Authorizer } from './authorizer.ts';
import { impersonate } from './impersonation.ts';
import { Tokens } from './tokens.ts';
import type { User } from './user.ts';
import { serviceAccountNamespace, userOf } from './user.ts';

/** What a request brings to say who makes it. */
export interface Credentials {
  header(name: string): string | undefined;
  /** Every header whose name, in lower case, begins so. */
  headersWith(prefix: string): readonly (readonly [name: string, value: string])[];
  /** The subject of a client certificate that this server's authority has signed. */
  readonly clientSubject: ClientSubject | undefined;
}

export interface ClientSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The cluster that the certificate is good for: all clusters of a process share one authority. */
  readonly unit: string;
}

/** Who may come in to one cluster, and what they may do. */
export class Access {
  readonly tokens = new Tokens();
  readonly authorizer: Authorizer;
  readonly #store: ClusterStore;
  readonly #cluster: string;

  /** @param cluster its name, which client certificates bear. */
  constructor(store: ClusterStore, cluster: string) {
    this.#store = store;
    this.#cluster = cluster;
    this.authorizer = new Authorizer(store);
  }

  /** The user on whose behalf a request is made. @throws {StatusError} 401, or 403 for one who may not impersonate */
  identify(credentials: Credentials): User {
    const user = this.#authenticate(credentials);
    if (!user) throw unauthorized();
    return impersonate(user, credentials.headersWith('impersonate-'), this.authorizer);
  }

  /** Whose token it is; `undefined` for one that is not good, or whose service account is gone. */
  userOfToken(token: string): User | undefined {
    const user = this.tokens.userOf(token);
    const boundTo = user && serviceAccountNamespace(user.name) !== undefined ? user.uid : undefined;
    return boundTo === undefined || this.#store.byUid(boundTo) ? user : undefined;
  }

  #authenticate(credentials: Credentials): User | undefined {
    const authorization = credentials.header('authorization');
    if (authorization !== undefined) {
      const [, token] = /^Bearer (.+)$/i.exec(authorization) ?? [];
      return token === undefined ? undefined : this.userOfToken(token);
    }
    const { clientSubject } = credentials;
    if (clientSubject?.unit !== this.#cluster) return undefined;
    return userOf(clientSubject.commonName, clientSubject.organizations);
  }
}
