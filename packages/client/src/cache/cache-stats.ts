/** Figures of the objects of one kind that a cache holds, in all scopes. Counts begin when the kind is first cached. */
export interface KindCacheStats {
  /** The kind, for example `apps/v1 Deployment`. Metadata-only kinds end with ` (metadata)`. */
  readonly kind: string;
  /** Number of objects. An object that is in two scopes counts twice. */
  readonly objects: number;
  /** Number of objects that are kept decoded on the heap. */
  readonly decodedObjects: number;
  /** Size of the stored objects in bytes: their JSON without dropped fields, and about 70 bytes each. */
  readonly objectBytes: number;
  /** Size of the compressed objects in bytes: 0 unless the kind is compressed. Others are kept plain. */
  readonly compressedBytes: number;
  /** Memory outside the heap in bytes: the stored objects with free space, tables and indexes. */
  readonly memoryBytes: number;
  /** Number of times that an object was decoded. */
  readonly decodes: number;
  /** Number of times that the metadata of an object was decoded without the rest. */
  readonly metadataDecodes: number;
  /** Number of reads that found an object decoded. */
  readonly decodeHits: number;
  /** Number of compressed blocks that were opened for reads. */
  readonly openedBlocks: number;
  /** Number of slabs (pieces of memory) that were compacted, because more than 30 % of each was no longer in use. */
  readonly compactions: number;
  /** Number of bytes that compactions moved. */
  readonly movedBytes: number;
}
