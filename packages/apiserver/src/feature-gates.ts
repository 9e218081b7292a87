import * as z from 'zod';

/** Feature gates that the embedded server has. */
export interface FeatureGates {
  /**
   * Lists and watches apply the parameter `shardSelector` (KEP-5866). Otherwise it is ignored. It is alpha in
   * Kubernetes 1.36, and not in earlier versions. Default: false.
   */
  readonly ShardedListAndWatch?: boolean | undefined;
}

export const featureGatesSchema: z.ZodType<FeatureGates> = z.strictObject({
  ShardedListAndWatch: z.boolean().optional(),
} satisfies Record<keyof FeatureGates, z.ZodType>);
