import type { KubernetesObject } from '../kinds/object.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { zstdCodec, type BlockCodec } from './block-codec.ts';
import type { PackedEvent } from './packed-event.ts';
import { PackedStore, type PackedStoreOptions } from './packed-store.ts';

/** zstd, which must be available in tests. */
export const testCodec = zstdCodec as BlockCodec;

/** A store that compresses every object as soon as it comes if `compress` is set, however small it is. */
export class EagerStore<T extends KubernetesObject> extends PackedStore<T> {
  constructor(options: PackedStoreOptions<T>) {
    super({ codec: { ...testCodec, worthwhile: Infinity }, ...options });
  }

  override apply(batch: PackedBatch, index: number): readonly PackedEvent<T>[] {
    const events = super.apply(batch, index);
    this.compress();
    return events;
  }

  override stage(batch: PackedBatch, index: number): void {
    super.stage(batch, index);
    this.compress();
  }
}
