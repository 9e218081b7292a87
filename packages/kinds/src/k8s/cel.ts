import type { CelRule } from '@mcr/client';
import type { KubernetesMeta } from '../structural/structural-schema.ts';

/**
 * Returns metadata with rules that the server evaluates: `.meta(k8s.cel({ rule: 'self.min <= self.max' }))`. `self` is the
 * value of the schema with the metadata. zod does not evaluate them.
 *
 * Call `.meta()` last: `.extend()`, `.optional()` and `.refine()` of an object do not keep its metadata.
 */
export function cel(...rules: readonly CelRule[]): KubernetesMeta {
  return { 'x-kubernetes-validations': rules };
}
