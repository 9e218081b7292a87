import { Option } from 'commander';
import { text } from '../command/option-values.ts';

/** The config of a project. */
export const configOption = (): Option =>
  new Option('--config <file>', 'config of the project').argParser(text).default('mcr.config.ts');
