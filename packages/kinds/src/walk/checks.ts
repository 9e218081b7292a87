import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { SchemaPath } from './schema-path.ts';
import { serverKeywordsIn } from './server-keywords.ts';

/** A check of a schema, by the names of zod. */
export type Check = core.$ZodChecks | core.$ZodStringFormatChecks;

/** Key in the `params` of a refinement whose check the server has, too: the equal part of the structural schema. */
export const EQUIVALENT = 'mcr.kinds.equivalent';

/**
 * Returns the checks of a schema that depend on its type. A format such as `z.int32()` is a check of its own.
 *
 * Leaves out refinements: they are refused, or left to a webhook.
 *
 * @param target receives what is equivalent to the refinements of `k8s`.
 */
export function checksOf(schema: core.$ZodType, target: StructuralSchema, at: SchemaPath): Check[] {
  const own = 'check' in schema._zod.def && schema._zod.def.type !== 'custom' ? [schema] : [];
  // zod declares checks by what they have in common. `check` tells which one it is.
  const checks = [...own, ...(schema._zod.def.checks ?? [])] as unknown as Check[];
  return checks.filter((check) => {
    const { def } = check._zod;
    if (def.check === 'overwrite') {
      at.fail(
        '.trim(), .toLowerCase(), .normalize() and other methods that change the value do nothing on the server',
        'use a pattern that accepts only the final value, such as .regex(/^\\S+$/) or .lowercase()',
      );
    }
    if ((def.check as string) !== 'custom') return true;
    const equivalent = equivalentOf(def);
    if (equivalent) Object.assign(target, equivalent);
    else if (!serverKeywordsIn(def) && at.options.refinements === 'refuse') {
      at.fail(
        '.refine(), .superRefine() and .check() are functions, which a CustomResourceDefinition cannot contain',
        "use a rule, .meta(k8s.cel({ rule: '...' })), or set admission: 'webhook' and run a webhook that checks the schema",
      );
    }
    return false;
  });
}

function equivalentOf(def: object): StructuralSchema | undefined {
  const { params } = def as { readonly params?: Readonly<Record<string, unknown>> };
  const equivalent = params?.[EQUIVALENT];
  return typeof equivalent === 'object' && equivalent !== null ? equivalent : undefined;
}

/** @throws {SchemaError} always: a check that is not known would be lost. */
export function refuseCheck(check: Check, at: SchemaPath): never {
  return at.fail(
    `the check ${check._zod.def.check} has no equivalent on the server`,
    "use a rule, .meta(k8s.cel({ rule: '...' })), or another check",
  );
}
