import type { Manifest } from '@mcr/apiserver/manifests';
import { readDefinitions } from '@mcr/apiserver/manifests';
import type { ClusterConfig } from '@mcr/client';
import { createClient } from '@mcr/client';
import * as z from 'zod';
import { readWebhookConfigurations, withLocalConversion, withLocalWebhooks } from './client-config.ts';
import { installDefinitions } from './definitions.ts';
import { ensureObject } from './ensure-object.ts';
import type { LocalWebhooks, PreparedWebhooks, WebhookOptions } from './local-webhooks.ts';
import { prepareWebhooks, webhookOptionsSchema } from './local-webhooks.ts';

/** Files to install into a control plane. */
export interface InstallOptions {
  /** Files and directories with CustomResourceDefinitions, in YAML or JSON. */
  readonly crdPaths?: readonly string[] | undefined;
  readonly webhooks?: WebhookOptions | undefined;
}

export const installOptionsSchema = z.strictObject({
  crdPaths: z.array(z.string()).optional(),
  webhooks: webhookOptionsSchema.optional(),
} satisfies Record<keyof InstallOptions, z.ZodType>);

/** Manifests that were read, and can be installed into control planes. */
export class Installation {
  readonly #definitions: readonly Manifest[];
  readonly #configurations: readonly Manifest[];
  readonly #prepared: PreparedWebhooks | undefined;

  private constructor(
    definitions: readonly Manifest[],
    configurations: readonly Manifest[],
    prepared: PreparedWebhooks | undefined,
  ) {
    this.#definitions = definitions;
    this.#configurations = configurations;
    this.#prepared = prepared;
  }

  /** Reads the files. @throws {Error} that names the option, the path and the document. */
  static async read({ crdPaths = [], webhooks }: InstallOptions): Promise<Installation> {
    const definitions = named('crdPaths', await readDefinitions(crdPaths));
    if (!webhooks) return new Installation(definitions, [], undefined);
    const configurations = named('webhooks.paths', await readWebhookConfigurations(webhooks.paths));
    const prepared = await prepareWebhooks(webhooks);
    try {
      return new Installation(
        definitions.map((definition) => withLocalConversion(definition, prepared.webhooks)),
        configurations.map((configuration) => withLocalWebhooks(configuration, prepared.webhooks)),
        prepared,
      );
    } catch (error) {
      await prepared.remove();
      throw error;
    }
  }

  /** Where the webhooks are called; `undefined` without the option. */
  get webhooks(): LocalWebhooks | undefined {
    return this.#prepared?.webhooks;
  }

  /** Installs everything, and resolves once the kinds of the definitions are served. */
  async installInto(config: ClusterConfig): Promise<void> {
    if (this.#definitions.length === 0 && this.#configurations.length === 0) return;
    await using client = createClient(config);
    await installDefinitions(client, this.#definitions);
    for (const configuration of this.#configurations) await ensureObject(client, configuration);
  }

  /** Deletes temporary files. */
  async remove(): Promise<void> {
    await this.#prepared?.remove();
  }
}

/** Adds the option to the sources, for errors of the API server. */
function named(option: string, manifests: readonly Manifest[]): Manifest[] {
  return manifests.map(({ source, object }) => ({ source: `${option}: ${source}`, object }));
}
