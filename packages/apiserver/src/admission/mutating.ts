import { isDeepStrictEqual } from 'node:util';
import { prune } from '../schema/prune.ts';
import { internalError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { WebhookCallError } from '../webhooks/webhook-client.ts';
import type { Attributes } from './attributes.ts';
import type { Hook } from './hook.ts';
import type { HookMatcher } from './hook-matcher.ts';
import { callFailure } from './failures.ts';
import { applyPatch, decodePatch } from './patch.ts';
import { denial } from './review.ts';
import type { VersionedAttributes } from './versioned.ts';
import { asRequested, toVersion } from './versioned.ts';
import type { CallContext } from './webhook-call.ts';
import { callWebhook, dryRunError } from './webhook-call.ts';

/** Calls the mutating webhooks that a request matches, one after the other, and some of them twice. */
export class MutatingWebhooks {
  readonly #matcher: HookMatcher;
  readonly #context: CallContext;
  /** Webhooks to call again if a later one changes the object. */
  #invoked = new Set<string>();
  readonly #toReinvoke = new Set<string>();
  #changed = false;
  #versioned: VersionedAttributes;

  constructor(matcher: HookMatcher, context: CallContext, attributes: Attributes) {
    this.#matcher = matcher;
    this.#context = context;
    this.#versioned = asRequested(attributes);
  }

  /** @returns the object in the version of the request. @throws {StatusError} */
  async call(hooks: readonly Hook[]): Promise<ApiObject | undefined> {
    for (const hook of hooks) await this.#consider(hook);
    if (this.#changed) {
      for (const hook of hooks) await this.#consider(hook, { again: true });
    }
    const { attributes } = this.#versioned;
    if (!this.#changed) return attributes.object;
    return (await toVersion(this.#versioned, attributes.type)).object;
  }

  async #consider(hook: Hook, { again = false } = {}): Promise<void> {
    const { attributes, object } = this.#versioned;
    const versioned = await this.#matcher.match(hook, { ...attributes, object }, this.#versioned);
    if (!versioned || (again && !this.#toReinvoke.has(hook.id))) return;
    this.#versioned = versioned;
    const changed = await this.#call(hook);
    if (changed) {
      for (const id of this.#invoked) this.#toReinvoke.add(id);
      this.#invoked = new Set();
      this.#changed = true;
    }
    if (hook.reinvocationPolicy === 'IfNeeded') this.#invoked.add(hook.id);
  }

  /** @returns whether the webhook changed the object. */
  async #call(hook: Hook): Promise<boolean> {
    const unsupported = dryRunError(hook, this.#context);
    if (unsupported) throw unsupported;
    try {
      const response = await callWebhook(this.#context, hook, this.#versioned, { mutating: true });
      if (!response.allowed) throw denial(hook.name, response);
      return response.patch !== '' && this.#patch(hook, response);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      callFailure(hook, error, this.#context);
      return false;
    }
  }

  #patch({ name }: Hook, { patch, patchType }: { readonly patch: string; readonly patchType: string }): boolean {
    const operations = decodePatch(patch);
    if (operations.length === 0) return false;
    const { object, type } = this.#versioned;
    if (!object) {
      const why = `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`;
      throw internalError(new Error(why));
    }
    if (patchType !== 'JSONPatch') throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType)}`);
    const patched = applyPatch(object, operations);
    if (type.builtIn && this.#versioned.kind.kind === type.kind) prune(type.schema, patched);
    if (isDeepStrictEqual(patched, object)) return false;
    this.#versioned = { ...this.#versioned, object: patched };
    return true;
  }
}
