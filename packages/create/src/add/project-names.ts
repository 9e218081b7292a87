import { ADDED_PROVIDERS, type AddedProvider, DEFAULTS, kebabCase } from '../answers.ts';
import { ModuleText, propertyOf, UnexpectedCodeError } from '../edit/module-text.ts';
import { AdditionError, type ReadFile } from './addition.ts';

/** Names that the code of a project uses. */
export interface ProjectNames {
  readonly name: string;
  readonly namespace: string;
  /** Group of its first kind. */
  readonly group: string;
}

/** The parts of a project that `mcr add` depends on. */
export interface ProjectParts extends ProjectNames {
  /** Names of the kinds that have a controller, with the group of those that the project defines. */
  readonly kinds: ReadonlyMap<string, string | undefined>;
  readonly hasProvider: boolean;
  /** Its providers that `mcr add` knows. */
  readonly providers: ReadonlySet<AddedProvider>;
  /** Whether its providers are combined already. */
  readonly hasProviders: boolean;
  readonly hasWebhooks: boolean;
}

/** @throws {AdditionError} if there is no project, or its config has no name. */
export async function readParts(read: ReadFile, config: string): Promise<ProjectParts> {
  const text = await read(config);
  if (text === undefined) {
    throw new AdditionError(
      `${config}: no such file: run the command in the directory of the project, or set --config <file>`,
    );
  }
  const { name, namespace } = configNames(config, text);
  const kinds = await kindsOf(read);
  const group = [...kinds.values()].find((each) => each !== undefined) ?? DEFAULTS.group;
  const fleet = (await read('src/fleet.ts')) ?? '';
  const hasWebhooks = (await read('src/webhooks.ts')) !== undefined;
  return {
    name,
    namespace: namespace ?? name,
    kinds,
    group,
    providers: providersOf(fleet),
    hasProvider: /\bprovider:/u.test(fleet),
    hasProviders: fleet.includes('createMultiProvider'),
    hasWebhooks,
  };
}

function configNames(config: string, text: string): { readonly name: string; readonly namespace: string | undefined } {
  try {
    const object = new ModuleText(text).defaultObject();
    const textOf = (key: string): string | undefined => {
      const property = propertyOf(object, key);
      const value = property?.type === 'ObjectProperty' ? property.value : undefined;
      return value?.type === 'StringLiteral' ? value.value : undefined;
    };
    const name = textOf('name');
    if (name === undefined) throw new UnexpectedCodeError('expected a name such as "name: \'my-operator\'"');
    return { name, namespace: textOf('namespace') };
  } catch (error) {
    if (!(error instanceof UnexpectedCodeError)) throw error;
    throw new AdditionError(`${config}: ${error.message}: nothing was changed`, { cause: error });
  }
}

/** Returns no names if the module is not valid: then an edit of it says why. */
function providersOf(fleet: string): Set<AddedProvider> {
  try {
    const module = new ModuleText(fleet);
    return new Set(ADDED_PROVIDERS.filter((name) => module.uses(`${name}Provider`, `./providers/${name}.ts`)));
  } catch {
    return new Set();
  }
}

/** Returns the kinds whose controllers `src/setup.ts` imports. */
async function kindsOf(read: ReadFile): Promise<Map<string, string | undefined>> {
  const kinds = new Map<string, string | undefined>();
  for (const name of importsOf(await read('src/setup.ts'))) {
    const [, kind] = /^add([A-Z]\w*)Controller$/u.exec(name) ?? [];
    if (kind === undefined) continue;
    const module = await read(`src/${kebabCase(kind)}/kind.ts`);
    kinds.set(kind, /apiVersion: ['"]([^'"/]+)\//u.exec(module ?? '')?.[1]);
  }
  return kinds;
}

/** Returns no names if the module is not valid: then an edit of it says why. */
function importsOf(text: string | undefined): readonly string[] {
  try {
    return text === undefined ? [] : [...new ModuleText(text).imports().keys()];
  } catch {
    return [];
  }
}
