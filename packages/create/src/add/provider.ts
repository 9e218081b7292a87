import type { AddedProvider } from '../answers.ts';
import { addProvider } from '../edit/edit-fleet.ts';
import { templateFiles } from '../template.ts';
import type { Addition } from './addition.ts';
import type { ProjectNames } from './project-names.ts';

/** Adds a provider. Several ones are combined by `@mcr/provider-multi`. */
export async function providerAddition(
  provider: AddedProvider,
  names: ProjectNames & { readonly isFirst: boolean },
): Promise<Addition> {
  const callee = `${provider}Provider`;
  const from = `./providers/${provider}.ts`;
  const expression = `${callee}()`;
  return {
    files: await templateFiles(`provider-${provider}`, names),
    edits: [
      {
        path: 'src/fleet.ts',
        isDone: (module) => module.uses(callee, from),
        apply: (module) => {
          module.addImport(callee, from);
          addProvider(module, { prefix: provider, expression });
        },
        instructions: [
          `import { ${callee} } from '${from}';`,
          names.isFirst
            ? `provider: ${expression} // in the options that the function fleet returns`
            : `provider: createMultiProvider({ providers: { ..., ${provider}: ${expression} } }) // of @mcr/provider-multi`,
        ],
      },
    ],
    dependencies: [`@mcr/provider-${provider}`, ...(names.isFirst ? [] : ['@mcr/provider-multi'])],
  };
}
