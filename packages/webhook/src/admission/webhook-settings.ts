import * as z from 'zod';

/** A selector of labels, as in the API. */
export interface LabelSelectorSettings {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** Settings of a webhook in Mutating- and ValidatingWebhookConfigurations. */
export interface WebhookSettings {
  /** Time that the API server waits, from 1 to 30 s. Default: 10. */
  readonly timeoutSeconds?: number;
  /** Meaning of a failed call. Default: that of the installation. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** CEL conditions, which the API server evaluates before it calls the webhook. Default: none. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Objects that the webhook is called for. Default: all. */
  readonly objectSelector?: LabelSelectorSettings;
  /** Namespaces that the webhook is called for, besides the exceptions of the installation. Default: all. */
  readonly namespaceSelector?: LabelSelectorSettings;
  /** Whether the defaults are set again after other webhooks changed the object. Default: `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  /** Whether the webhook is called for other versions of its resource, whose objects are converted. Default: `Equivalent`. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
}

export const labelSelectorSettingsSchema = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional(),
} satisfies Record<keyof LabelSelectorSettings, z.ZodType>);

/** Number of conditions that an API server accepts. */
const MAX_CONDITIONS = 64;

export const webhookSettingsSchema = z.strictObject({
  timeoutSeconds: z.int().min(1).max(30).optional(),
  failurePolicy: z.enum(['Fail', 'Ignore']).optional(),
  matchConditions: z
    .array(z.strictObject({ name: z.string().min(1), expression: z.string().min(1) }))
    .max(MAX_CONDITIONS)
    .optional(),
  objectSelector: labelSelectorSettingsSchema.optional(),
  namespaceSelector: labelSelectorSettingsSchema.optional(),
  reinvocationPolicy: z.enum(['Never', 'IfNeeded']).optional(),
  matchPolicy: z.enum(['Exact', 'Equivalent']).optional(),
} satisfies Record<keyof WebhookSettings, z.ZodType>);
