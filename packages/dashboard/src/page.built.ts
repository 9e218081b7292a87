/*
 * The files of the page. This module runs when the package is built, and `dist` contains the values of its exports. In the
 * repository, it runs when it is imported.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const directory = join(import.meta.dirname, 'page');

export const html: string = readFileSync(join(directory, 'index.html'), 'utf8');
export const icon: string = readFileSync(join(directory, 'icon.svg'), 'utf8');
export const script: string = bundled('main.ts');
export const style: string = bundled('page.css');

/** Bundles a file for browsers of the last two years. */
function bundled(file: string): string {
  const [output] = buildSync({
    entryPoints: [join(directory, file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17.2'],
    charset: 'utf8',
    legalComments: 'none',
  }).outputFiles;
  if (!output) throw new Error(`${file}: esbuild wrote no output`);
  return output.text;
}
