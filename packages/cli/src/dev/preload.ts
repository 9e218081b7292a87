import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type { McrConfig } from '../project/mcr-config.ts';
import { CONFIG_VARIABLE, GO, type ProgramMessage } from './program-message.ts';

/*
 * Node.js runs this file before a program of `mcr dev`. It reports the files that the program loads and the kinds of its config,
 * and ends the program when `mcr dev` has ended.
 */

const { [CONFIG_VARIABLE]: config } = process.env;
// Threads and processes that the program starts load this file, too.
Reflect.deleteProperty(process.env, CONFIG_VARIABLE);
if (isMainThread && config !== undefined) await prepare(config);

async function prepare(file: string): Promise<void> {
  // Most of the code is as before a restart. The cache has it by its content.
  enableCompileCache();
  process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
  reportFiles();
  const gone = new Promise((resolve) => void process.once('message', resolve));
  // A config that fails ends the program with its error, as it does in production.
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: Partial<McrConfig> };
  const { kinds = [] } = module.default ?? {};
  // Programs without kinds need not have the package.
  const definitions = kinds.length === 0 ? [] : (await import('../project/definitions.ts')).definitionsOf({ kinds });
  send({ type: 'definitions', definitions });
  if ((await gone) !== GO) process.exit();
  // The channel does not keep the program alive.
  process.channel?.unref();
}

function reportFiles(): void {
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (/^\.{0,2}\//u.test(specifier)) report(new URL(specifier, context.parentURL).href);
        throw error;
      }
    },
    load(url, context, next) {
      report(url);
      return next(url, context);
    },
  });
}

function report(url: string): void {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return;
  send({ type: 'file', path: fileURLToPath(url) });
}

function send(message: ProgramMessage): void {
  process.send?.(message);
}
