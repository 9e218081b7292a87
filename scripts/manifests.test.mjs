import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const projects = ['packages', 'examples'].flatMap((parent) => list(parent).map((name) => `${parent}/${name}`));

const manifests = projects.flatMap((directory) =>
  list(`${directory}/manifests`)
    .filter((name) => name.startsWith('rbac-'))
    .map((name) => ({ directory, name, text: read(`${directory}/manifests/${name}`) })),
);
const documents = [...projects, 'docs'].flatMap((directory) =>
  list(directory)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${directory}/${name}`),
);
const shown = documents.flatMap((document) =>
  [...read(document).matchAll(/```yaml\n(.*?)```/gsu)]
    .map(([, text]) => ({ document, text, name: /^ {2}name: (.*)$/mu.exec(text)?.[1] }))
    .filter(({ text }) => text.includes('apiVersion: rbac.authorization.k8s.io/v1')),
);

describe('manifests in documents', () => {
  it.each(shown)('S-7: $document: $name equals a published manifest', ({ text }) => {
    expect(manifests.map((manifest) => manifest.text)).toContain(text);
  });

  it.each(manifests)('S-7: $directory/manifests/$name is in a document, and published with its package', (manifest) => {
    const { private: isPrivate, files } = JSON.parse(read(`${manifest.directory}/package.json`));
    if (!isPrivate) expect(files).toContain('manifests');
    expect(shown.map(({ text }) => text)).toContain(manifest.text);
  });
});

function list(directory) {
  return existsSync(join(root, directory)) ? readdirSync(join(root, directory)) : [];
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}
