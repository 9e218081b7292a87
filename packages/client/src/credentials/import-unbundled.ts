/**
 * Imports a package that bundles leave out: bundlers do not follow a specifier that is not a literal, so that a large
 * package that few programs need is not part of every bundle.
 *
 * @throws {Error} when the package is not installed beside the program.
 */
export async function importUnbundled(specifier: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(`the package ${specifier} is not installed: install it beside the bundle`, { cause });
  }
}
