import { readFileSync } from 'node:fs';
import type { ClusterRole } from '@mcr/core';
import { parse } from 'yaml';
import * as z from 'zod';

const rule = z.strictObject({
  apiGroups: z.array(z.string()).exactOptional(),
  resources: z.array(z.string()).exactOptional(),
  resourceNames: z.array(z.string()).exactOptional(),
  nonResourceURLs: z.array(z.string()).exactOptional(),
  verbs: z.array(z.string()).min(1),
});
const rulesSchema = z.union([z.array(rule).min(1), z.looseObject({ rules: z.array(rule).min(1) })]);

/** Reads a list of RBAC rules, or a Role or ClusterRole, from a YAML file. @throws {Error} if the file has no rules. */
export function readRules(file: string): NonNullable<ClusterRole['rules']> {
  const checked = rulesSchema.safeParse(parse(readFileSync(file, 'utf8')));
  if (!checked.success) throw new Error('expected a list of RBAC rules, or an object with a field "rules"');
  return Array.isArray(checked.data) ? checked.data : checked.data.rules;
}
