import { unauthorized } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import { type AuthorizationMode, Authorizer } from './authorizer.ts';
import { impersonate } from './impersonation.ts';
import type { SigningKey } from './signing-key.ts';
import { Tokens } from './tokens.ts';
import type { User } from './user.ts';
import { ANONYMOUS, serviceAccountNamespace, userOf } from './user.ts';

/** Credentials of a request. */
export interface Credentials {
  header(name: string): string | undefined;
  /** Returns the headers whose name starts with `prefix`, which is in lower case. */
  headersWith(prefix: string): readonly (readonly [name: string, value: string])[];
  /** Subject of a client certificate that this server's authority has signed. */
  readonly clientSubject: ClientSubject | undefined;
}

export interface ClientSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Cluster that accepts the certificate. All clusters of a process share one authority. */
  readonly unit: string;
}

export interface AccessOptions {
  readonly cluster: string | undefined;
  readonly signingKey: SigningKey;
  readonly mode?: AuthorizationMode | undefined;
}

/** Authentication and authorization of one cluster. */
export class Access {
  readonly tokens = new Tokens();
  readonly authorizer: Authorizer;
  readonly signingKey: SigningKey;
  readonly #store: ClusterStore;
  readonly #cluster: string | undefined;

  /**
   * @param options.cluster name of the cluster, which its client certificates contain. Default: the cluster has an
   *   authority of its own, and accepts all of its certificates.
   * @param options.signingKey signs tokens of service accounts.
   */
  constructor(store: ClusterStore, { cluster, signingKey, mode }: AccessOptions) {
    this.signingKey = signingKey;
    this.#store = store;
    this.#cluster = cluster;
    this.authorizer = new Authorizer(store, mode);
  }

  /**
   * Returns the user on whose behalf a request is made.
   *
   * @throws {StatusError} 401, or 403 for a user who may not impersonate
   */
  identify(credentials: Credentials): User {
    const user = this.#authenticate(credentials);
    if (!user) throw unauthorized();
    return impersonate(user, credentials.headersWith('impersonate-'), this.authorizer);
  }

  /** Returns the user of a token, or `undefined` if the token is invalid or its service account does not exist. */
  userOfToken(token: string): User | undefined {
    const user = this.tokens.userOf(token);
    const boundTo = user && serviceAccountNamespace(user.name) !== undefined ? user.uid : undefined;
    return boundTo === undefined || this.#store.byUid(boundTo) ? user : undefined;
  }

  #authenticate(credentials: Credentials): User | undefined {
    const authorization = credentials.header('authorization');
    if (authorization !== undefined) {
      const [, token] = /^Bearer +(\S+)/i.exec(authorization) ?? [];
      if (token !== undefined) return this.userOfToken(token);
      // Another scheme is ignored, as if there were no credentials.
      return ANONYMOUS;
    }
    const { clientSubject } = credentials;
    if (!clientSubject || (this.#cluster !== undefined && clientSubject.unit !== this.#cluster)) return undefined;
    return userOf(clientSubject.commonName, clientSubject.organizations);
  }
}
