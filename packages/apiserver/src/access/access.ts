import { unauthorized } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { AuthorizerOptions } from './authorizer.ts';
import { Authorizer } from './authorizer.ts';
import { impersonate } from './impersonation.ts';
import type { SigningKey } from './signing-key.ts';
import { Tokens } from './tokens.ts';
import type { User } from './user.ts';
import { readClaims, serviceAccountFault, tokenUser } from './service-account-token.ts';
import { ANONYMOUS, userOf } from './user.ts';

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

export interface AccessOptions extends AuthorizerOptions {
  readonly cluster: string | undefined;
  readonly signingKey: SigningKey;
}

/** Result of the authentication of a token. */
export type Authentication =
  | {
      readonly user: User;
      /** Audiences of the token that were asked for. */
      readonly audiences: readonly string[];
      readonly error?: undefined;
    }
  | { readonly user?: undefined; readonly error: string };

const INVALID_TOKEN = 'invalid bearer token';

/** Formats texts as Go prints a list of quoted texts. */
function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
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
  constructor(store: ClusterStore, { cluster, signingKey, ...options }: AccessOptions) {
    this.signingKey = signingKey;
    this.#store = store;
    this.#cluster = cluster;
    this.authorizer = new Authorizer(store, options);
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

  /**
   * Authenticates a token.
   *
   * @param audiences names of servers. The token is valid if it was issued for one of them. Default: this server.
   */
  authenticate(token: string, audiences: readonly string[] = [this.signingKey.issuer]): Authentication {
    const { issuer } = this.signingKey;
    const found = this.tokens.find(token);
    if (found) {
      const accepted = audiences.filter((audience) => audience === issuer);
      return accepted.length > 0 ? { user: found.user, audiences: accepted } : { error: INVALID_TOKEN };
    }
    const verified = this.tokens.isRevoked(token) ? undefined : this.signingKey.verify(token);
    if (!verified) return { error: INVALID_TOKEN };
    const claims = verified.fault ?? readClaims(verified.claims);
    if (typeof claims === 'string') return { error: `[${INVALID_TOKEN}, ${claims}]` };
    const own = claims.aud.length > 0 ? claims.aud : [issuer];
    const accepted = own.filter((audience) => audiences.includes(audience));
    const fault =
      accepted.length > 0
        ? serviceAccountFault(this.#store, claims)
        : `token audiences ${goList(own)} is invalid for the target audiences ${goList(audiences)}`;
    if (fault !== undefined) return { error: `[${INVALID_TOKEN}, ${fault}]` };
    return { user: tokenUser(claims), audiences: accepted };
  }

  #authenticate(credentials: Credentials): User | undefined {
    const authorization = credentials.header('authorization');
    if (authorization !== undefined) {
      const [, token] = /^Bearer +(\S+)/i.exec(authorization) ?? [];
      if (token !== undefined) return this.authenticate(token).user;
      // Another scheme is ignored, as if there were no credentials.
      return ANONYMOUS;
    }
    const { clientSubject } = credentials;
    if (!clientSubject || (this.#cluster !== undefined && clientSubject.unit !== this.#cluster)) return undefined;
    return userOf(clientSubject.commonName, clientSubject.organizations);
  }
}
