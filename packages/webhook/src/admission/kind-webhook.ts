import type { DeepReadonly, Kind, KubernetesObject } from '@mcr/core';
import { checkKind, foundText, parseApiVersion, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';
import type { AdmissionContext } from './admission-context.ts';
import type { AdmissionHandler, AdmissionRule, HandlerResult, Decision } from './admission-handler.ts';
import { mutate, denialIn } from './admission-handler.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { SchemaAdmission } from './schema-admission.ts';
import type { WebhookSettings } from './webhook-settings.ts';
import { webhookSettingsSchema } from './webhook-settings.ts';
import { badRequest } from '../server/refused-request-error.ts';

/**
 * Sets defaults of an object, in place. Called for creates and updates. It may return {@link deny}.
 *
 * The API server may call it twice for one request, and calls it again for its own result: it must not change an object
 * that it has completed.
 */
export type Defaulter<T extends KubernetesObject> = (
  object: T,
  context: AdmissionContext,
) => Decision | Promise<Decision>;

/** Validators of a kind. Each returns {@link deny} to refuse, and nothing to allow. An operation without one is not sent. */
export interface Validators<T extends KubernetesObject> {
  create?(object: DeepReadonly<T>, context: AdmissionContext): Decision | Promise<Decision>;
  update?(object: DeepReadonly<T>, oldObject: DeepReadonly<T>, context: AdmissionContext): Decision | Promise<Decision>;
  delete?(oldObject: DeepReadonly<T>, context: AdmissionContext): Decision | Promise<Decision>;
}

/** Decides about requests to a subresource. Their objects are of other kinds, for example `Scale` or `PodExecOptions`. */
export type SubresourceValidator = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => Decision | Promise<Decision>;

interface Parts<T extends KubernetesObject> {
  readonly defaulter?: Defaulter<T>;
  readonly validators: Validators<T>;
  readonly schema?: SchemaAdmission;
  readonly subresources: ReadonlyMap<string, SubresourceValidator>;
  readonly settings: WebhookSettings;
}

const functionSchema = z.custom((value) => typeof value === 'function', 'expected a function');
const validatorsSchema = z.strictObject({
  create: functionSchema.optional(),
  update: functionSchema.optional(),
  delete: functionSchema.optional(),
} satisfies Record<keyof Validators<KubernetesObject>, z.ZodType>);

/**
 * The admission webhook of one kind. Created by {@link webhookFor}. Its methods return a changed copy, so that a webhook
 * is a value: a server registers it, `admit` tests it, and an installation reads its rules.
 */
export interface KindWebhook<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** Settings of the webhook in the configurations that are installed. */
  readonly settings: WebhookSettings;
  /** Sets the function that sets defaults. (Upstream: `admission.CustomDefaulter`.) */
  default(defaulter: Defaulter<T>): KindWebhook<T>;
  /** Sets validators, besides those that are set. (Upstream: `admission.CustomValidator`.) */
  validate(validators: Validators<T>): KindWebhook<T>;
  /**
   * Sets defaults, and checks creates and updates, with the schema of the kind, refinements included. Both run before
   * other handlers of this webhook. A schema that takes longer than a second is interrupted, and the request is denied.
   *
   * @throws {TypeError} if the kind has no schema.
   */
  fromSchema(): KindWebhook<T>;
  /**
   * Sets the validator of a subresource, for all operations on it: for example `scale`, or `exec` of a Pod, whose operation
   * is `CONNECT`.
   */
  subresource(name: string, validator: SubresourceValidator): KindWebhook<T>;
  /** Changes settings of the installed configurations. */
  with(settings: WebhookSettings): KindWebhook<T>;
  /** Returns the webhooks, one for each path. */
  handlers(): AdmissionHandler[];
}

class WebhookValue<T extends KubernetesObject> implements KindWebhook<T> {
  readonly kind: Kind<T>;
  readonly #parts: Parts<T>;

  constructor(kind: Kind<T>, parts: Parts<T> = { validators: {}, subresources: new Map(), settings: {} }) {
    this.kind = kind;
    this.#parts = parts;
  }

  get settings(): WebhookSettings {
    return this.#parts.settings;
  }

  default(defaulter: Defaulter<T>): KindWebhook<T> {
    if (typeof defaulter !== 'function') {
      throw new TypeError(`webhookFor.default: expected a function, found ${foundText(defaulter)}`);
    }
    return this.#with({ defaulter });
  }

  validate(validators: Validators<T>): KindWebhook<T> {
    parseOptions('webhookFor.validate', validatorsSchema, validators, '{ create: (object) => ... }');
    return this.#with({ validators: { ...this.#parts.validators, ...validators } });
  }

  fromSchema(): KindWebhook<T> {
    return this.#with({ schema: new SchemaAdmission(this.kind) });
  }

  subresource(name: string, validator: SubresourceValidator): KindWebhook<T> {
    parseOptions('webhookFor.subresource', subresourceSchema, { name, validator });
    return this.#with({ subresources: new Map([...this.#parts.subresources, [name, validator]]) });
  }

  with(settings: WebhookSettings): KindWebhook<T> {
    parseOptions('webhookFor.with', webhookSettingsSchema, settings, '{ timeoutSeconds: 5 }');
    return this.#with({ settings: { ...this.#parts.settings, ...settings } });
  }

  handlers(): AdmissionHandler[] {
    return [...this.#mutating(), ...this.#validating()];
  }

  #with(parts: Partial<Parts<T>>): KindWebhook<T> {
    return new WebhookValue(this.kind, { ...this.#parts, ...parts });
  }

  *#mutating(): Iterable<AdmissionHandler> {
    const { defaulter, schema } = this.#parts;
    if (!defaulter && !schema) return;
    yield {
      type: 'mutating',
      path: this.#path('mutate'),
      rules: [{ operations: ['CREATE', 'UPDATE'] }],
      handle: async (request, context) => {
        this.#check(request);
        return mutate<T>(request, (object) => schema?.complete(object) ?? defaulter?.(object, context));
      },
    };
  }

  *#validating(): Iterable<AdmissionHandler> {
    const { schema, subresources } = this.#parts;
    const { validators } = this.#parts;
    const operations = [
      ...(validators.create || schema ? (['CREATE'] as const) : []),
      ...(validators.update || schema ? (['UPDATE'] as const) : []),
      ...(validators.delete ? (['DELETE'] as const) : []),
    ];
    const rules: AdmissionRule[] = [
      ...(operations.length > 0 ? [{ operations }] : []),
      ...[...subresources.keys()].map((subresource): AdmissionRule => ({
        operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
        subresource,
      })),
    ];
    if (rules.length === 0) return;
    yield {
      type: 'validating',
      path: this.#path('validate'),
      rules,
      handle: async (request, context): Promise<HandlerResult> => ({
        denial: await this.#decide(request, context),
        patch: [],
      }),
    };
  }

  async #decide(request: AdmissionRequest, context: AdmissionContext) {
    const { schema, subresources, validators } = this.#parts;
    const { operation, subResource } = request;
    if (subResource !== undefined) {
      return denialIn(subResource, await subresources.get(subResource)?.(request, context));
    }
    this.#check(request);
    // The kind of the webhook determines the types, and the API server has validated the objects.
    const object = request.object as DeepReadonly<T>;
    const oldObject = request.oldObject as DeepReadonly<T>;
    switch (operation) {
      case 'CREATE':
        return schema?.check(object) ?? denialIn('create', await validators.create?.(object, context));
      case 'UPDATE': {
        const denial = schema?.check(object, oldObject);
        return denial ?? denialIn('update', await validators.update?.(object, oldObject, context));
      }
      case 'DELETE':
        return denialIn('delete', await validators.delete?.(oldObject, context));
      case 'CONNECT':
        return undefined;
    }
  }

  /** @throws {RefusedRequestError} if the review is about another kind: its configuration is wrong. */
  #check({ kind, subResource }: AdmissionRequest): void {
    const { group, version } = parseApiVersion(this.kind.apiVersion);
    if (subResource !== undefined && subResource !== 'status') return;
    if (kind.group === group && kind.version === version && kind.kind === this.kind.kind) return;
    throw badRequest(
      `this webhook is for ${this.kind.apiVersion} ${this.kind.kind}: change the rules of its configuration, or set matchPolicy to Equivalent`,
    );
  }

  /** Returns the path that controller-runtime uses, for example `/validate-apps-v1-deployment`. */
  #path(type: 'mutate' | 'validate'): string {
    const { group, version } = parseApiVersion(this.kind.apiVersion);
    return `/${type}-${group.replaceAll('.', '-')}-${version}-${this.kind.kind.toLowerCase()}`;
  }
}

const subresourceSchema = z.strictObject({
  name: z.string().regex(/^[a-z]+$/u, 'expected the name of a subresource, such as "scale"'),
  validator: functionSchema,
});

/**
 * Returns a webhook for a kind, without handlers.
 *
 * @example
 * const cart = webhookFor(Cart)
 *   .default((object) => { object.spec.replicas ??= 1; })
 *   .validate({ update: (object, old) => (object.spec.zone === old.spec.zone ? undefined : deny('spec.zone is immutable')) });
 * webhooks.register(cart);
 * @throws {TypeError} if `kind` is not a kind.
 */
export function webhookFor<T extends KubernetesObject>(kind: Kind<T>): KindWebhook<T> {
  checkKind('webhookFor', kind);
  return new WebhookValue(kind);
}
