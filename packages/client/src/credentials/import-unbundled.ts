/**
 * Imports a package without adding it to bundles. Bundlers do not follow a specifier that is not a literal, so a large
 * package that few programs need is not part of every bundle.
 *
 * @throws {Error} if the package is not installed.
 */
export async function importUnbundled(specifier: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(`the package ${specifier} is not installed: install it next to the bundle`, { cause });
  }
}
