import { serveCommands } from './program.ts';
import type { Measurement, Size } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const commands = {
  async measure(id: string, size: Size): Promise<Measurement> {
    const scenario = scenarios.find((other) => other.id === id);
    if (!scenario) throw new Error(`unknown scenario ${id}`);
    return scenario.measure(size);
  },
};

/** Commands of the process that measures one scenario. */
export type MeasureCommands = typeof commands;

serveCommands(commands);
