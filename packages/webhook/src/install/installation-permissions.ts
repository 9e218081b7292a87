import type { Manager, Permission } from '@mcr/core';
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@mcr/core';
import { selectedPermissions } from '@mcr/core/provider';
import type { WebhookServer } from '../server/webhook-server.ts';
import { definitionName } from './configurations.ts';
import type { ParsedInstallOptions } from './installation-options.ts';

/** Returns the permissions of an installation in each cluster. */
export function installationPermissions(
  { name, clusters }: Pick<ParsedInstallOptions, 'name' | 'clusters'>,
  manager: Pick<Manager, 'provider'>,
  { conversions }: Pick<WebhookServer, 'conversions'>,
): Permission[] {
  const configuration = { names: [name], verbs: ['get', 'create', 'patch', 'delete'] };
  const crds = conversions.map(definitionName);
  return selectedPermissions(clusters, manager, [
    { kind: MutatingWebhookConfiguration, ...configuration },
    { kind: ValidatingWebhookConfiguration, ...configuration },
    ...(crds.length > 0 ? [{ kind: CustomResourceDefinition, names: crds, verbs: ['get', 'patch'] }] : []),
  ]);
}
