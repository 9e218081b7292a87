/** Keeps copies of the CA bundle of a webhook server, for example in the configurations of clusters. */
export interface CaBundleConsumer {
  /** Called when the CA bundle has changed, or can no longer be read. Must not throw. */
  caBundleChanged(): void;
  /**
   * Whether a place has another CA bundle. A managed certificate is not replaced while one has.
   *
   * @param caBundle in PEM.
   */
  hasOther(caBundle: string): boolean;
}
