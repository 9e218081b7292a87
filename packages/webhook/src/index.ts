/* Server */
export { createWebhookServer, type WebhookServer } from './server/webhook-server.ts';
export type { WebhookLimits, WebhookServerOptions } from './server/webhook-server-options.ts';
export type { ListeningAddress } from './server/listener.ts';
export type { Caller, CallerAuth } from './server/caller.ts';
export type { CertificateDirectory, CertificateFiles, CertificateOptions } from './certificates/certificate-options.ts';
export type { ManagedCertificateOptions } from './certificates/managed/managed-certificate-options.ts';
export type { CaBundleConsumer } from './certificates/ca-bundle-consumer.ts';

/* Admission */
export { webhookFor } from './admission/kind-webhook.ts';
export type { Defaulter, KindWebhook, SubresourceValidator, Validators } from './admission/kind-webhook.ts';
export type { LabelSelectorSettings, WebhookSettings } from './admission/webhook-settings.ts';
export { deny, type Denial, type DenyOptions, type FieldCause } from './admission/denial.ts';
export type { AdmissionContext, CallContext, WebhookCluster } from './admission/admission-context.ts';
export type { AdmissionHandler, AdmissionRule, HandlerResult, Decision } from './admission/admission-handler.ts';
export type * from './admission/admission-request.ts';
export type { PatchOperation } from './admission/json-patch.ts';
export { admit, type Admitted, type AdmitOptions } from './admission/admit.ts';

/* Conversion */
export { conversion, type Conversion, type ConversionOptions, type Convert } from './conversion/conversion.ts';
export type { ConvertibleKind } from './conversion/convertible-kind.ts';

/* Installation */
export { installWebhooks } from './install/install-webhooks.ts';
export { removeWebhooks, type RemovedWebhooks, type RemoveWebhooksOptions } from './install/remove-webhooks.ts';
export type { InstallWebhooksOptions, WebhookService } from './install/installation-options.ts';
