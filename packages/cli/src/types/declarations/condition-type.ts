import { isDeepStrictEqual } from 'node:util';
import type { StructuralSchema } from '@mcr/kinds';

/** The keywords that determine the type of each field of a condition (API conventions: `metav1.Condition`). */
const FIELDS: Readonly<Record<string, StructuralSchema>> = {
  lastTransitionTime: { type: 'string' },
  message: { type: 'string' },
  observedGeneration: { type: 'integer' },
  reason: { type: 'string' },
  status: { type: 'string', enum: ['False', 'True', 'Unknown'] },
  type: { type: 'string' },
};
const OPTIONAL = 'observedGeneration';

/** Whether `k8s.Condition` of `@mcr/kinds` is exactly the type of a schema in canonical form. */
export function isCondition({ properties = {}, required, ...core }: StructuralSchema): boolean {
  const fields = Object.entries(properties).map(([name, { type, enum: values, nullable, default: fallback }]) => {
    const others = { ...(nullable && { nullable }), ...(fallback !== undefined && { default: fallback }) };
    return [name, { type, ...(values && { enum: [...values].sort() }), ...others }] as const;
  });
  return (
    isDeepStrictEqual(Object.fromEntries(fields), FIELDS) &&
    isDeepStrictEqual(
      required,
      Object.keys(FIELDS).filter((name) => name !== OPTIONAL),
    ) &&
    core['x-kubernetes-preserve-unknown-fields'] !== true
  );
}
