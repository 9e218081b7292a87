/** Figures of a {@link PackedStore}, for metrics. Sizes are in bytes. */
export interface PackedStoreStats {
  readonly objects: number;
  /** Size of the slabs, of the tables and of the indexes. */
  readonly held: number;
  /** Size of the entries in use. */
  readonly alive: number;
  /** Number of these bytes that are compressed, and their size when they are not. */
  readonly compressed: number;
  readonly opened: number;
  /** Number of compressed blocks that were opened. */
  readonly opens: number;
  /** Number of objects that were decoded, and of those whose metadata alone was decoded. */
  readonly decodes: number;
  readonly metadataDecodes: number;
  /** Number of reads that found the object decoded. */
  readonly hits: number;
  /** Number of decoded objects that the decode cache keeps. */
  readonly kept: number;
  /** Number of slabs that were compacted, and of the bytes that this moved. */
  readonly compactions: number;
  readonly moved: number;
}

/** Returns the sums over several stores. */
export function sumOfStats(stores: readonly PackedStoreStats[]): PackedStoreStats {
  const sum = (figure: keyof PackedStoreStats): number => stores.reduce((total, stats) => total + stats[figure], 0);
  return {
    objects: sum('objects'),
    held: sum('held'),
    alive: sum('alive'),
    compressed: sum('compressed'),
    opened: sum('opened'),
    opens: sum('opens'),
    decodes: sum('decodes'),
    metadataDecodes: sum('metadataDecodes'),
    hits: sum('hits'),
    kept: sum('kept'),
    compactions: sum('compactions'),
    moved: sum('moved'),
  };
}
