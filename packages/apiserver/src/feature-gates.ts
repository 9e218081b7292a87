import * as z from 'zod';

/** Feature gates of kube-apiserver that the embedded server has. Their defaults are those of Kubernetes 1.36. */
export interface FeatureGates {
  /** Lists and watches apply the parameter `shardSelector` (KEP-5866). Otherwise it is ignored. Default: false. */
  readonly ShardedListAndWatch?: boolean | undefined;
}

export const featureGatesSchema: z.ZodType<FeatureGates> = z.strictObject({
  ShardedListAndWatch: z.boolean().optional(),
} satisfies Record<keyof FeatureGates, z.ZodType>);
