import * as z from 'zod';
import type { ApiObject } from '../storage/stored-object.ts';

/** Selector of labels, as in the API. */
export const labelSelector = z.looseObject({
  matchLabels: z.record(z.string(), z.string()).nullish(),
  matchExpressions: z.array(z.looseObject({ key: z.string() })).nullish(),
});

const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);

/** Selects operations and resources. */
export const operationRule = z.looseObject({
  operations: texts,
  apiGroups: texts,
  apiVersions: texts,
  resources: texts,
  scope: z.string().nullish(),
});
export type OperationRule = z.infer<typeof operationRule>;

export const matchCondition = z.looseObject({ name: z.string(), expression: z.string() });
export type MatchCondition = z.infer<typeof matchCondition>;

const webhook = z.looseObject({
  name: z.string(),
  clientConfig: z.object({
    url: z.string().optional(),
    service: z
      .object({
        namespace: z.string().optional(),
        name: z.string().optional(),
        path: z.string().optional(),
        port: z.int().optional(),
      })
      .optional(),
    caBundle: z.string().optional(),
  }),
  rules: z
    .array(operationRule)
    .nullish()
    .transform((rules) => rules ?? []),
  failurePolicy: z.enum(['Fail', 'Ignore']).default('Fail'),
  matchPolicy: z.enum(['Exact', 'Equivalent']).default('Equivalent'),
  namespaceSelector: labelSelector.nullish(),
  objectSelector: labelSelector.nullish(),
  sideEffects: z.string().optional(),
  timeoutSeconds: z.int().default(10),
  admissionReviewVersions: texts,
  reinvocationPolicy: z.enum(['Never', 'IfNeeded']).default('Never'),
  matchConditions: z
    .array(matchCondition)
    .nullish()
    .transform((conditions) => conditions ?? []),
});

/** A webhook of a configuration. */
export interface Hook extends z.infer<typeof webhook> {
  /** Identifies the webhook among all of the cluster. */
  readonly id: string;
}

/** Returns the webhooks of a configuration. The types of its fields were checked when it was written. */
export function hooksOf(configuration: ApiObject): Hook[] {
  const hooks = z.array(webhook).safeParse(configuration['webhooks'] ?? []);
  if (!hooks.success) return [];
  return hooks.data.map((hook, index) => ({ ...hook, id: `${configuration.metadata.name}/${hook.name}/${index}` }));
}
