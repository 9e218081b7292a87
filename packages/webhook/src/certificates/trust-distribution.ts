/** Keeps copies of the authorities of a webhook server, for example in the configurations of clusters. */
export interface TrustDistribution {
  /** Called when the authorities have changed. Must not throw. */
  authoritiesChanged(): void;
  /**
   * Whether a place has other authorities than these. A managed certificate is not replaced while one has.
   *
   * @param authorities in PEM.
   */
  isPending(authorities: string): boolean;
}
