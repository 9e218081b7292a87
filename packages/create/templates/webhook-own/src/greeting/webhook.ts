import { deny, webhookFor } from '@mcr/webhook';
import { Greeting } from './kind.ts';

/** Sets the defaults of the schema, and refuses changes of the recipient. */
export const greetingWebhook = webhookFor(Greeting)
  .fromSchema()
  .validate({
    update: ({ spec }, old) =>
      spec.recipient === old.spec.recipient ? undefined : deny('spec.recipient is immutable: create another Greeting'),
  });
