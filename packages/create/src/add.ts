import type { AddedProvider } from './answers.ts';

export { ADDED_PROVIDERS, type AddedProvider, checkGroup, checkKindName, checkPlural } from './answers.ts';
export { chosen } from './nearest.ts';

/** A part that is added to a project. */
export type AddRequest =
  | {
      readonly part: 'kind';
      /** For example `Shop`. `ConfigMap`, `Secret` and `ServiceAccount` are the built-in kinds, if no group and no plural is set. */
      readonly name: string;
      /** Default: from the name, for example `shops`. */
      readonly plural?: string | undefined;
      /** Default: the group of the first kind of the project, else `demo.example.com`. */
      readonly group?: string | undefined;
    }
  | {
      readonly part: 'webhook';
      /** Name of a kind that has a controller. */
      readonly kind: string;
    }
  | { readonly part: 'provider'; readonly name: AddedProvider };

/** Options of {@link addToProject}. */
export interface AddOptions {
  /** Path of the config of the project, for example `mcr.config.ts`. */
  readonly config: string;
  /** Prints the changes, and writes nothing. */
  readonly dryRun: boolean;
  /** Prints the files, and what to do next. */
  readonly print: (text: string) => void;
}

/**
 * Adds a kind with its controller, a webhook or a provider to a project that `npm create @mcr` created: writes new files from the
 * same templates, and adds lines to the files that list them. What the project has already is not added again.
 *
 * @throws {Error} if a file exists already, or is not written as expected. Then nothing is changed, and the message says what to
 * write by hand.
 */
export async function addToProject(request: AddRequest, options: AddOptions): Promise<void> {
  const { extendProject } = await import('./add/add-to-project.ts');
  await extendProject(request, options);
}
