import type { Command } from 'commander';
import { DESCRIBE_COMMAND, type ProjectMessage } from './project-message.ts';

/** Adds the command that describes a project to its parent process. It runs until the parent ends it. */
export function addDescribe(mcr: Command): void {
  mcr.command(`${DESCRIBE_COMMAND} <file>`, { hidden: true }).action(async (file: string) => {
    process.once('disconnect', () => process.exit());
    const send = (message: ProjectMessage): void => void process.send?.(message);
    const { describeProject } = await import('./describe-project.ts');
    try {
      send({ type: 'project', project: await describeProject(file, (stage) => send({ type: 'stage', stage })) });
    } catch (error) {
      send({ type: 'error', message: (error as Error).message });
    }
  });
}
