/** Where a command prints, and when it stops. */
export interface Output {
  /** Prints results. */
  readonly print: (text: string) => void;
  /** Prints warnings and failures. */
  readonly warn: (text: string) => void;
  /** Whether {@link print} shows colours. Default: false. */
  readonly isColored?: boolean;
  /** Width of the terminal that {@link print} shows text on, in columns. Default: not a terminal, so nothing is cut. */
  readonly columns?: number | undefined;
  /** Whether a person reads what {@link print} prints. Default: false. */
  readonly isTerminal?: boolean;
  readonly signal: AbortSignal;
}
