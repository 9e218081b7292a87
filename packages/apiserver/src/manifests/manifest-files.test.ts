import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readManifests } from './manifest-files.ts';
import { readDefinitions } from './read-definitions.ts';

const definition = (name: string): string =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: ${name} }\n`;

const RENDER = 'is an action of a template: render the template first, for example with "helm template"';

describe('manifests in files', () => {
  let directory: string;
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text);
    return path;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-manifests-'));
    await mkdir(join(directory, 'crds'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it.each([
    ['of a field', 'kind: {{ .Values.kind }}', '{{ .Values.kind }} in line 2'],
    [
      'of a block',
      'kind: A\n{{- if .Values.named }}\nmetadata:\n  name: a\n{{- end }}',
      '{{- if .Values.named }} in line 3',
    ],
    ['of a list', 'kind: A\nitems:\n  - {{ .Values.first }}', '{{ .Values.first }} in line 4'],
    [
      'that closes',
      'kind: A\nmetadata: {{ toYaml .Values.metadata | nindent 2 }}\n---\nkind: B',
      'nindent 2 }} in line 3',
    ],
  ])('K-31: names an action of a template %s', async (_, text, message) => {
    const path = await write('template.yaml', `apiVersion: v1\n${text}\n`);
    await expect(readManifests([path], '--load')).rejects.toThrow(`${message} ${RENDER}`);
    await expect(readDefinitions([path])).rejects.toThrow(`crdPaths: ${path}`);
  });

  it('K-31: says that subdirectories are not read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-manifests-'));
    await mkdir(join(directory, 'bases'));
    await writeFile(join(directory, 'bases', 'crd.yaml'), 'kind: CustomResourceDefinition');
    await expect(readDefinitions([directory])).rejects.toThrow(
      'no CustomResourceDefinition found; subdirectories are not read: pass the directory of the files',
    );
    await rm(directory, { recursive: true });
  });

  it('K-31: names the line of a key that is not a string', async () => {
    const path = await write('key.yaml', `${definition('a.example')}---\nkind: &kind [A]\n? *kind\n: b\n`);
    await expect(readManifests([path], '--load')).rejects.toThrow(
      `--load: ${path}, document 2: the key in line 6 is a list or a mapping: use a string`,
    );
  });

  it('K-31: accepts templates in strings', async () => {
    const path = await write('text.yaml', `apiVersion: v1\nkind: A\nmetadata: { name: a }\nspec: "{{ .name }}"\n`);
    expect((await readManifests([path], '--load'))[0]?.object['spec']).toBe('{{ .name }}');
  });

  it('K-31: reads a definition once that several paths name', async () => {
    const path = await write('crds/a.yaml', `${definition('a.example')}---\n${definition('b.example')}`);
    const paths = [join(directory, 'crds'), path, relative('.', path)];
    const names = (await readDefinitions(paths)).map(({ object }) => object.metadata.name);
    expect(names).toEqual(['a.example', 'b.example']);
    const copy = await write('copy.yaml', definition('b.example'));
    await expect(readDefinitions([...paths, copy])).rejects.toThrow(
      `crdPaths: ${copy}: CustomResourceDefinition b.example is also in ${path}, document 2: remove one`,
    );
  });
});
