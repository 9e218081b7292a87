import type { StatusError } from '../status.ts';
import { WebhookCallError } from '../webhooks/webhook-client.ts';
import type { Attributes } from './attributes.ts';
import { callFailure } from './failures.ts';
import type { Hook } from './hook.ts';
import type { HookMatcher } from './hook-matcher.ts';
import { denial } from './review.ts';
import type { VersionedAttributes } from './versioned.ts';
import { asRequested } from './versioned.ts';
import type { CallContext } from './webhook-call.ts';
import { callWebhook, dryRunError } from './webhook-call.ts';

/** Calls the validating webhooks that a request matches, at the same time. @throws {StatusError} the first denial. */
export async function callValidating(
  matcher: HookMatcher,
  context: CallContext,
  attributes: Attributes,
  hooks: readonly Hook[],
): Promise<void> {
  const invocations: { readonly hook: Hook; readonly versioned: VersionedAttributes }[] = [];
  for (const hook of hooks) {
    const versioned = await matcher.match(hook, attributes, asRequested(attributes));
    if (versioned) invocations.push({ hook, versioned });
  }
  const errors: unknown[] = [];
  await Promise.all(
    invocations.map(({ hook, versioned }) =>
      call(context, hook, versioned).catch((error: unknown) => errors.push(error)),
    ),
  );
  if (errors.length > 0) throw errors[0] as StatusError;
}

async function call(context: CallContext, hook: Hook, versioned: VersionedAttributes): Promise<void> {
  const unsupported = dryRunError(hook, context);
  if (unsupported) throw unsupported;
  try {
    const response = await callWebhook(context, hook, versioned, { mutating: false });
    if (!response.allowed) throw denial(hook.name, response);
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    callFailure(hook, error, context);
  }
}
