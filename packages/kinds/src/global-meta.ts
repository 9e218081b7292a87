import type { KubernetesMeta } from './structural/structural-schema.ts';

declare module 'zod/v4/core' {
  /** Types the keys of Kubernetes in `.meta()`. */
  interface GlobalMeta extends KubernetesMeta {}
}
