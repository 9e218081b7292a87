import type { Project } from './project.ts';

/** Name of the command that describes a project in a process of its own. Not shown in the help. */
export const DESCRIBE_COMMAND = 'describe-project';

/** The current step of the description of a project. */
export type Stage = 'import' | 'manager()' | 'setup()';

/** A message of the process that describes a project. */
export type ProjectMessage =
  | { readonly type: 'stage'; readonly stage: Stage }
  | { readonly type: 'project'; readonly project: Project }
  | { readonly type: 'error'; readonly message: string };
