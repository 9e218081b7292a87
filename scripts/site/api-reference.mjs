// The API reference as Markdown: one page for each exported symbol of the published packages.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Application, ReflectionKind } from 'typedoc';
import { publishedPackages, root } from '../published-packages.mjs';

/**
 * Returns the pages by path, such as `api/@mcr/core/README.md`.
 *
 * @param {string} sourceLinks URL of the root of the sources, without a slash at the end.
 * @returns {Promise<Map<string, string>>}
 */
export async function apiReference(sourceLinks) {
  const scratch = mkdtempSync(join(tmpdir(), 'mcr-reference-'));
  try {
    const modules = entryPoints();
    // One program for all packages: one program for each of them takes eight times as long.
    const tsconfig = join(scratch, 'tsconfig.json');
    writeFileSync(
      tsconfig,
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: { rootDir: root, typeRoots: [join(root, 'node_modules', '@types')] },
        files: [...modules.keys()],
      }),
    );
    await write(modules, { tsconfig, out: join(scratch, 'api'), sourceLinks });
    return new Map(
      globSync('api/**/*.md', { cwd: scratch })
        .sort()
        .map((path) => [path, readFileSync(join(scratch, path), 'utf8')]),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns the name of each module by its source: those that users import, which have a report of their API. */
function entryPoints() {
  const modules = publishedPackages().flatMap(({ name, directory, manifest }) =>
    Object.entries(manifest.exports).flatMap(([subpath, target]) => {
      const report = `${subpath === '.' ? 'index' : subpath.slice(2)}.api.md`;
      if (!existsSync(join(directory, 'api', report))) return [];
      return [[join(directory, target['@mcr/source']), join(name, subpath)]];
    }),
  );
  return new Map(modules.sort(([, a], [, b]) => (a < b ? -1 : 1)));
}

async function write(modules, { tsconfig, out, sourceLinks }) {
  const app = await Application.bootstrapWithPlugins({
    name: 'API reference',
    entryPoints: [...modules.keys()],
    tsconfig,
    plugin: ['typedoc-plugin-markdown'],
    // `pnpm typecheck` checks the sources.
    skipErrorChecking: true,
    excludePrivate: true,
    readme: 'none',
    logLevel: 'Error',
    disableGit: true,
    gitRevision: 'HEAD',
    // Paths are relative to the folder that all sources have in common.
    sourceLinkTemplate: `${sourceLinks}/packages/{path}#L{line}`,
    outputs: [{ name: 'markdown', path: out }],
    router: 'member',
    hidePageHeader: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    typeDeclarationFormat: 'table',
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('typedoc could not read the sources');
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    const source = module.sources?.[0]?.fullFileName;
    const name = modules.get(source);
    if (name === undefined) throw new Error(`the module ${module.name} is not an entry point of a package`);
    module.name = name;
  }
  await app.generateOutputs(project);
  const logged = app.logger.errorCount;
  if (logged > 0) throw new Error(`typedoc reported ${logged} errors for ${relative(root, out)}`);
}
