import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';
import { shortened } from '../text/shortened.ts';

/** Maximum size of a selector in the message, in bytes. */
const MAX_SELECTOR = 200;

/** An API server applied another shard selector than the requested one, so selected objects may be missing. */
export class ShardMismatchError extends McrError {
  override readonly name = 'ShardMismatchError';
  readonly [ERROR_BRAND] = '@mcr/client/ShardMismatchError';

  constructor(requested: string, applied: unknown) {
    const found = typeof applied === 'string' ? shortened(applied, MAX_SELECTOR) : `of type ${typeof applied}`;
    super(
      `the server applied the shard selector ${found} instead of ${shortened(requested, MAX_SELECTOR)}, ` +
        'so objects may be missing from the list: list without a shard selector',
    );
  }
}

/** Whether `error` is a {@link ShardMismatchError}. */
export function isShardMismatch(error: unknown): error is ShardMismatchError {
  return hasBrand<ShardMismatchError>(error, '@mcr/client/ShardMismatchError');
}

/**
 * Checks the metadata of a list. Without `shardInfo`, the server ignored the selector and returned all objects, so none
 * is missing.
 *
 * @param requested the selector of the request.
 * @throws {ShardMismatchError} if the server applied another selector.
 */
export function checkShardInfo({ shardInfo }: { readonly shardInfo?: unknown }, requested: string): void {
  if (shardInfo === undefined || shardInfo === null) return;
  const { selector } = Object(shardInfo) as { readonly selector?: unknown };
  if (selector !== requested) throw new ShardMismatchError(requested, selector);
}
