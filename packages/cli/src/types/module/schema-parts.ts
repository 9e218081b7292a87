import type { StructuralSchema } from '@mcr/kinds';

/** The options of `defineKind` that come from the schema of an object. */
export interface Parts {
  readonly spec: StructuralSchema | undefined;
  readonly status: StructuralSchema | undefined;
  /** Fields beside them, and keywords of the whole object. */
  readonly fields: StructuralSchema | undefined;
  readonly metadata: StructuralSchema | undefined;
  readonly rules: StructuralSchema['x-kubernetes-validations'];
  readonly description: string | undefined;
  readonly isSpecRequired: boolean;
}

/** Divides the schema of an object as the options of `defineKind` do. */
export function partsOf(root: StructuralSchema): Parts {
  const { type: _, description, properties = {}, required = [], 'x-kubernetes-validations': rules, ...keywords } = root;
  const { metadata, ...all } = properties;
  const isPart = (name: string): boolean => all[name]?.type === 'object' && !all[name].nullable;
  const own = ['spec', 'status'].filter((name) => isPart(name) && (name === 'spec' || !required.includes(name)));
  const others = Object.entries(all).filter(([name]) => !own.includes(name));
  const otherRequired = required.filter((name) => !own.includes(name));
  const hasFields = others.length > 0 || otherRequired.length > 0 || Object.keys(keywords).length > 0;
  return {
    spec: own.includes('spec') ? all['spec'] : undefined,
    status: own.includes('status') ? all['status'] : undefined,
    fields: hasFields
      ? {
          ...(others.length > 0 && { properties: Object.fromEntries(others) }),
          ...(otherRequired.length > 0 && { required: otherRequired }),
          ...keywords,
          type: 'object',
        }
      : undefined,
    metadata,
    rules,
    description,
    isSpecRequired: required.includes('spec'),
  };
}
