/** Header fields in the form that Node.js accepts: lower-case names, several values as a list. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** Credentials of a request. Immutable: renewed credentials are a new object. */
export interface Credential {
  readonly headers: HeaderFields;
  /** Client certificate of the connection. */
  readonly certificate?: ClientCertificate;
}

/** A client certificate and its key, both as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Provides the credentials for one type of authentication. */
export interface CredentialSource {
  /** The credentials, if they never change. */
  readonly constant?: Credential;
  /**
   * Returns the current credentials: the same object until they change.
   *
   * @throws {TransportError} with the code `credentials`, if they cannot be obtained.
   */
  current(signal: AbortSignal): Promise<Credential>;
  /** Reports that the server rejected `credential` (401). The source renews it if it may be stale. */
  rejected(credential: Credential): void;
  /** Aborts operations in progress. */
  close(): void;
}

/** Creates a source of credentials that never change. */
export function constantSource(headers: HeaderFields): CredentialSource {
  const credential = { headers };
  return {
    constant: credential,
    current: () => Promise.resolve(credential),
    rejected: () => undefined,
    close: () => undefined,
  };
}
