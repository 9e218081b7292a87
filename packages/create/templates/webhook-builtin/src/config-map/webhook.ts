import { ConfigMap } from '@mcr/core';
import { deny, webhookFor } from '@mcr/webhook';
import { LABEL } from './controller.ts';

/** Refuses values of the label that have no effect. */
export const configMapWebhook = webhookFor(ConfigMap)
  .with({ objectSelector: { matchExpressions: [{ key: LABEL, operator: 'Exists' }] } })
  .validate({
    create: ({ metadata }) =>
      metadata.labels?.[LABEL] === 'true' ? undefined : deny(`the label ${LABEL} must have the value true`),
  });
