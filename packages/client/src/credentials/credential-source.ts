/** Header fields in the form that Node.js accepts: lower-case names, several values as a list. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** What says who sends a request. Never changed once it is there: new ones are another object. */
export interface Credential {
  readonly headers: HeaderFields;
  /** Of the client, for the connection. */
  readonly certificate?: ClientCertificate;
}

/** PEM of both. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One way to authenticate. */
export interface CredentialSource {
  /**
   * The same object for as long as nothing has changed.
   *
   * @throws {TransportError} with the code `credentials`, when there are none to be had.
   */
  current(signal: AbortSignal): Promise<Credential>;
  /** The server did not accept `credential` (401): what may be stale is not used again. */
  rejected(credential: Credential): void;
  /** Ends what is under way. */
  close(): void;
}

/** Credentials that never change. */
export function constantSource(headers: HeaderFields): CredentialSource {
  const credential = { headers };
  return { current: () => Promise.resolve(credential), rejected: () => undefined, close: () => undefined };
}
