import type { Project } from '../project/project.ts';
import { readProject, type ReadProjectOptions } from '../project/read-project.ts';
import { hubNamespaces } from './hub-namespaces.ts';
import type { Say } from './say.ts';

export interface ProjectWatchOptions extends Omit<ReadProjectOptions, 'warn'> {
  /** The project that the fleet was started for. */
  readonly started: Project;
  readonly say: Say;
}

/** Says when a project has come to need another fleet than the one that was started for it. */
export class ProjectWatch {
  readonly #options: ProjectWatchOptions;
  #said = '';
  #reading = new AbortController();

  constructor(options: ProjectWatchOptions) {
    this.#options = options;
  }

  /** Reads the project again. A later call ends this one. */
  async check(): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { started, say, signal, ...options } = this.#options;
    const limit = AbortSignal.any([signal, this.#reading.signal]);
    // The program prints what the config prints, and its errors.
    const project = await readProject({ ...options, warn: () => undefined, signal: limit }).catch(() => undefined);
    if (!project || limit.aborted) return;
    const changes = changesOf(started, project).join(', ');
    if (changes !== '' && changes !== this.#said) {
      say.problem(`the fleet does not have what the config needs now: ${changes}: start mcr dev again`);
    }
    this.#said = changes;
  }
}

/** Returns what the fleet has only from its start. */
function changesOf(before: Project, after: Project): string[] {
  const namespaces = new Set(hubNamespaces(before));
  const added = hubNamespaces(after).filter((each) => !namespaces.has(each));
  return [
    ...(before.name === after.name ? [] : [`the name ${after.name}`]),
    ...(before.hasProvider || !after.hasProvider ? [] : ['a provider']),
    ...(before.webhookPort !== undefined || after.webhookPort === undefined ? [] : ['webhooks']),
    ...added.map((name) => `the namespace ${name}`),
  ];
}
