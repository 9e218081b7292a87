import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** A package of npm. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** Field of its `package.json`. Default: not known. */
  readonly license?: string | undefined;
}

/** Maximum size of a file that is read, in bytes. */
const MAX_SIZE = 128 * 1024 * 1024;

const metafileSchema = z.object({
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
});
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional().catch(undefined),
});

/**
 * Returns the packages whose code is in a bundle, by their names and versions.
 *
 * @param meta path of the metafile of esbuild.
 * @param project directory in which esbuild ran. Paths in the metafile are relative to it.
 * @throws {Error} if a file is missing or not as expected.
 */
export function bundledPackages(meta: string, project: string): Package[] {
  const { outputs } = parsed(meta, metafileSchema, 'run "npm run build", which writes it');
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const directories = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0] ?? []));
  const packages = new Map<string, Package>();
  for (const directory of directories) {
    const found = join(project, directory);
    const manifest = manifestIn(found);
    packages.set(keyOf(manifest), manifest);
    for (const included of includedIn(found))
      if (!packages.has(keyOf(included))) packages.set(keyOf(included), included);
  }
  return [...packages].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each);
}

/** Returns what the `package.json` in a directory says. */
export function manifestIn(directory: string): Package {
  return parsed(join(directory, 'package.json'), manifestSchema, 'install the dependencies');
}

/** Returns the packages that the build of a package of mcr included. It lists them with their licenses. */
function includedIn(directory: string): Package[] {
  const file = join(directory, 'dist', 'LICENSES.txt');
  if (!existsSync(file)) return [];
  const sections = textOf(file, '').split(/^-{80}$/mu);
  return sections.flatMap((section) => {
    const [, name, version] = /^(\S+) (\d\S*)$/u.exec(section.trim().split('\n', 1)[0] ?? '') ?? [];
    return name === undefined || version === undefined ? [] : [{ name, version }];
  });
}

const keyOf = ({ name, version }: Package): string => `${name}@${version}`;

function parsed<Value>(file: string, schema: z.ZodType<Value>, advice: string): Value {
  const text = textOf(file, advice);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}: ${advice}`, { cause });
  }
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw new Error(`${file}: field "${issue?.path.join('.') ?? ''}": ${issue?.message ?? 'invalid'}: ${advice}`);
}

function textOf(file: string, advice: string): string {
  try {
    if (statSync(file).size > MAX_SIZE) throw new Error(`more than ${MAX_SIZE} bytes`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Error(`${file}: ${code === 'ENOENT' ? 'no such file' : message}: ${advice}`, { cause });
  }
}
