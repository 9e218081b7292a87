import type { Kind, KubernetesObject, Manager, Permission, SourcePermission } from '@mcr/core';
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@mcr/core';
import { selectedPermissions } from '@mcr/core/provider';
import type { WebhookServer } from '../server/webhook-server.ts';
import { definitionName } from './configurations.ts';
import type { ParsedInstallOptions } from './installation-options.ts';

/** Returns the permission for a webhook configuration. */
export function configurationPermission(kind: Kind<KubernetesObject>, name: string): SourcePermission {
  return { kind, names: [name], verbs: ['get', 'create', 'patch', 'delete'] };
}

/** Returns the permission for the definitions whose conversion is written. */
export function definitionPermission(names: readonly string[]): SourcePermission {
  return { kind: CustomResourceDefinition, names, verbs: ['get', 'patch'] };
}

/** Returns the permissions of an installation in each cluster. */
export function installationPermissions(
  { name, clusters }: Pick<ParsedInstallOptions, 'name' | 'clusters'>,
  manager: Pick<Manager, 'provider'>,
  { conversions }: Pick<WebhookServer, 'conversions'>,
): Permission[] {
  const crds = conversions.map(definitionName);
  return selectedPermissions(clusters, manager, [
    configurationPermission(MutatingWebhookConfiguration, name),
    configurationPermission(ValidatingWebhookConfiguration, name),
    ...(crds.length > 0 ? [definitionPermission(crds)] : []),
  ]);
}
