import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Manager, Pod } from '@mcr/core';
import { parseAllDocuments } from 'yaml';
import { describeConfig } from '../project/describe-project.ts';
import type { McrConfig } from '../project/mcr-config.ts';
import { generatedFiles } from './run-generate.ts';
import shop from './shop.fixture.ts';

const execute = promisify(execFile);
/** Deadline of a command, in milliseconds. */
const timeout = 30_000;

/** Returns the path of a tool. Its tests are left out where it is not in `$PATH`. */
const inPath = (tool: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, tool))
    .find((path) => existsSync(path));
const helm = inPath('helm');
const kubectl = inPath('kubectl');

/** A program that must not have two replicas, and whose controller has a name that looks like a template. */
const single: McrConfig = {
  name: 'single',
  manager: () => ({ metrics: { bindAddress: '0' } }),
  setup: (manager: Manager) =>
    manager.permissions.require('{{ fail "x" }}', [{ kind: Pod, verbs: ['get'], in: 'local' }]),
  deploy: { env: { TEMPLATE: '{{ .Values.image }}' } },
};

interface Found {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly replicas?: number; readonly template?: PodTemplate };
}
interface PodTemplate {
  readonly spec: { readonly containers: readonly { readonly image: string; readonly resources: unknown }[] };
}

/** Returns the objects of YAML documents by their names. */
function objectsIn(text: string): Record<string, Found> {
  const objects = parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Found | null;
  });
  return Object.fromEntries(
    objects
      .filter((object) => object !== null)
      .map((object) => [`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]),
  );
}

describe('WB-3: rendered manifests', () => {
  let directory: string;
  const texts = new Map<string, string>();
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-rendered-'));
    for (const [name, config] of Object.entries({ shop, single })) {
      for (const { path, text } of generatedFiles(await describeConfig('mcr.config.ts', config))) {
        const file = join(directory, name, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
        texts.set(`${name}/${path}`, text);
      }
    }
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** Returns the objects of a folder as they were written. */
  const written = (folder: string): Record<string, Found> => {
    const files = [...texts].filter(([path]) => path.startsWith(`${folder}/`) && !path.endsWith('/kustomization.yaml'));
    return objectsIn(files.map(([, text]) => text).join('---\n'));
  };

  const run = async (tool: string, ...args: string[]): Promise<string> =>
    (await execute(tool, args, { cwd: directory, timeout })).stdout;

  /** Renders the chart of a project in the namespace that its base has. */
  const render = (project: string, ...flags: string[]): Promise<string> =>
    run('helm', 'template', 'release', `${project}/chart`, '--namespace', project, '--include-crds', ...flags);

  (helm ? it : it.skip)('WB-3: helm renders the objects of the base, and accepts the chart', async () => {
    for (const name of ['shop', 'single']) {
      await run('helm', 'lint', '--strict', `${name}/chart`);
      const { [`Namespace /${name}`]: namespace, ...base } = written(`${name}/base`);
      expect(namespace).toBeDefined();
      expect(objectsIn(await render(name))).toEqual(base);
    }
    expect(await render('single')).toContain('  # {{ fail "x" }}\n');
  });

  (helm ? it : it.skip)('WB-3: helm sets the values', async () => {
    const rendered = async (...flags: string[]) => {
      const objects = objectsIn(await render('shop', ...flags));
      const { replicas, template } = objects['Deployment shop/shop-operator']?.spec ?? {};
      const [container] = template?.spec.containers ?? [];
      return { objects, replicas, image: container?.image, resources: container?.resources };
    };
    expect(
      await rendered('--set', 'replicas=5,image=registry:5000/a@sha256:0,resources.limits.memory=1Gi'),
    ).toMatchObject({
      replicas: 5,
      image: 'registry:5000/a@sha256:0',
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '1Gi' } },
    });
    const without = await rendered('--set', 'replicas=0,resources.limits=null,resources.requests=null');
    expect(without).toMatchObject({ replicas: 0, resources: {} });
    expect((await rendered('--set', 'serviceMonitor=true')).objects).toMatchObject(written('shop/monitoring'));
  });

  (helm ? it : it.skip).each([
    ['shop', 'replicaCount=3', 'replicaCount'],
    ['shop', 'replicas=two', '/replicas'],
    ['shop', 'image=', '/image'],
    ['shop', 'serviceMonitor=yes', '/serviceMonitor'],
    ['single', 'replicas=2', '/replicas'],
    ['single', 'serviceMonitor=true', 'serviceMonitor'],
  ])('WB-3: helm refuses %s with %s', async (name, value, field) => {
    await expect(render(name, '--set', value)).rejects.toThrow(field);
  });

  (kubectl ? it : it.skip).each(['shop/base', 'shop/members', 'shop/monitoring', 'single/base'])(
    'WB-3: kustomize builds %s',
    async (folder) => {
      expect(objectsIn(await run('kubectl', 'kustomize', folder))).toEqual(written(folder));
    },
  );
});
