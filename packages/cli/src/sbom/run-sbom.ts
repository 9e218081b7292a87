import { dirname, join, relative, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { terminalText } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import { replaceFile } from '../files/file-access.ts';
import { bundledPackages, manifestIn, type Package } from './bundled-packages.ts';

/** Options of `mcr sbom`. */
export interface SbomOptions {
  /** Path of the metafile. */
  readonly meta: string;
  readonly out: string;
}

/** `mcr sbom`: writes the packages of a bundle. */
export async function runSbom({ meta, out }: SbomOptions, { print }: Output): Promise<void> {
  const project = projectOf(resolve(meta));
  const packages = bundledPackages(resolve(meta), project);
  await replaceFile(out, `${JSON.stringify(bom(manifestIn(project), packages), null, 2)}\n`);
  const count = `${packages.length} ${packages.length === 1 ? 'package' : 'packages'}`;
  print(terminalText(`wrote ${out}: ${count} in the bundle`) + '\n');
}

/** Returns the directory of the nearest `package.json`. */
function projectOf(meta: string): string {
  const directory = dirname(meta);
  if (existsSync(join(directory, 'package.json'))) return directory;
  if (relative(dirname(directory), directory) === '') {
    throw new Error(`--meta: ${meta}: no package.json in a directory above it: write the metafile into the project`);
  }
  return projectOf(directory);
}

/** Returns the SBOM. It has no time and no serial number, which would differ for equal bundles. */
function bom(project: Package, packages: readonly Package[]): object {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf('application', project) },
    components: packages.map((each) => componentOf('library', each)),
  };
}

function componentOf(type: 'application' | 'library', { name, version, license }: Package): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [licenseOf(license)] }),
  };
}

/** Texts of npm that are not SPDX expressions are names. */
function licenseOf(license: string): object {
  return /^(?:UNLICENSED$|SEE LICENSE)/u.test(license) ? { license: { name: license } } : { expression: license };
}
