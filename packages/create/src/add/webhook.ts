import { type BuiltInName, camelCase, kebabCase, type OwnKind } from '../answers.ts';
import { ModuleText, propertyOf } from '../edit/module-text.ts';
import { templateFiles } from '../template.ts';
import type { Addition, Edit } from './addition.ts';
import { setupEdit } from './kind.ts';
import type { ProjectNames } from './project-names.ts';

const SERVER = 'src/webhooks.ts';

/** Options of {@link webhookAddition}. */
export interface WebhookOptions {
  readonly kind: OwnKind | BuiltInName;
  /** Whether the project has webhooks already. */
  readonly hasServer: boolean;
  /** Whether the fleet has other clusters than the local one. */
  readonly hasProvider: boolean;
  /** Path of the config. */
  readonly config: string;
}

/** Adds a webhook of a kind. The first one adds the webhook server, too. */
export async function webhookAddition(
  { kind, hasServer, hasProvider, config }: WebhookOptions,
  names: ProjectNames,
): Promise<Addition> {
  const files = await templateFiles(typeof kind === 'string' ? 'webhook-builtin' : 'webhook-own', { ...names, kind });
  const edit = webhookEdit(typeof kind === 'string' ? kind : kind.name);
  const dependencies = ['@mcr/webhook'];
  if (hasServer) return { files, edits: [edit], dependencies };
  for (const [path, text] of await templateFiles(hasProvider ? 'webhooks-fleet' : 'webhooks-local', names)) {
    const module = new ModuleText(text);
    edit.apply(module);
    files.set(path, module.toString());
  }
  return { files, edits: [setupEdit('addWebhooks', './webhooks.ts'), configEdit(config)], dependencies };
}

function webhookEdit(kind: string): Edit {
  const name = `${camelCase(kind)}Webhook`;
  const from = `./${kebabCase(kind)}/webhook.ts`;
  return {
    path: SERVER,
    isDone: (module) => module.uses(name, from),
    apply: (module) => {
      module.addImport(name, from);
      module.appendToArray('webhooks', name);
    },
    instructions: [`import { ${name} } from '${from}';`, `const webhooks = [..., ${name}];`],
  };
}

/** Lets "mcr generate" write a Service. */
const configEdit = (path: string): Edit => ({
  path,
  isDone: (module) => /\bwebhooks\s*:/u.test(module.text),
  apply: (module) => {
    const config = module.defaultObject();
    if (!propertyOf(config, 'webhooks')) module.addProperty(config, 'webhooks: { port: 9443 }', 'kinds');
  },
  instructions: ['webhooks: { port: 9443 }, // in the config'],
});
