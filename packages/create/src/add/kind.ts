import { type BuiltInName, kebabCase, type OwnKind } from '../answers.ts';
import { appendCall } from '../edit/edit-function.ts';
import { templateFiles } from '../template.ts';
import type { Addition, Edit } from './addition.ts';
import type { ProjectNames } from './project-names.ts';

/** Adds a kind of the project with its controller, or the controller of a built-in kind. */
export async function kindAddition(kind: OwnKind | BuiltInName, names: ProjectNames): Promise<Addition> {
  if (typeof kind === 'string') {
    const files = await templateFiles('kind-builtin', { ...names, kind });
    return { files, edits: [controllerEdit(kind)], dependencies: ['@mcr/core'] };
  }
  return {
    files: await templateFiles('kind-own', { ...names, group: kind.group, kind }),
    edits: [kindEdit(kind.name), controllerEdit(kind.name)],
    dependencies: ['@mcr/core', '@mcr/kinds', 'zod'],
  };
}

function kindEdit(kind: string): Edit {
  const from = `./${kebabCase(kind)}/kind.ts`;
  return {
    path: 'src/kinds.ts',
    isDone: (module) => module.uses(kind, from),
    apply: (module) => {
      module.addImport(kind, from);
      module.appendToArray('kinds', kind);
    },
    instructions: [`import { ${kind} } from '${from}';`, `export const kinds = [..., ${kind}];`],
  };
}

function controllerEdit(kind: string): Edit {
  return setupEdit(`add${kind}Controller`, `./${kebabCase(kind)}/controller.ts`);
}

/** Calls a function of another module in `setup`. */
export function setupEdit(callee: string, from: string): Edit {
  return {
    path: 'src/setup.ts',
    isDone: (module) => module.uses(callee, from),
    apply: (module) => {
      module.addImport(callee, from);
      appendCall(module, 'setup', callee);
    },
    instructions: [`import { ${callee} } from '${from}';`, `await ${callee}(manager); // in the function setup`],
  };
}
