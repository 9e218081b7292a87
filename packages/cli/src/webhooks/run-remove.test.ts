import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, ValidatingWebhookConfiguration } from '@mcr/core';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import { runMcr } from '../command/mcr-program.ts';

const LABELS = { 'app.kubernetes.io/managed-by': 'mcr-webhooks' };

describe('mcr webhooks remove', () => {
  let plane: ControlPlane;
  let directory: string;
  let kubeconfig: string;
  beforeAll(async () => {
    plane = await createControlPlane();
    directory = await mkdtemp(join(tmpdir(), 'mcr-remove-'));
    kubeconfig = join(directory, 'config');
    // A second context leads to a port that nothing listens on.
    const document = JSON.stringify({
      clusters: [{ name: 'gone', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'gone', user: { token: 'secret' } }],
      contexts: [{ name: 'gone', context: { cluster: 'gone', user: 'gone' } }],
    });
    await writeFile(kubeconfig, plane.kubeconfig);
    await writeFile(join(directory, 'gone'), document);
    process.env['KUBECONFIG'] = [kubeconfig, join(directory, 'gone')].join(':');
  });
  afterAll(async () => {
    delete process.env['KUBECONFIG'];
    await plane.stop();
    await rm(directory, { recursive: true });
  });

  async function run(...args: string[]): Promise<{ status: number; lines: string[] }> {
    let text = '';
    const print = (part: string): void => void (text += part);
    const { signal } = new AbortController();
    const status = await runMcr(['webhooks', 'remove', ...args], { print, warn: print, signal });
    return { status, lines: text.trimEnd().split('\n') };
  }

  it('WH-4: removes configurations by name, and only those of installWebhooks with --all', async () => {
    await using client = createClient(plane.config);
    const create = (name: string, labels = {}) =>
      client.create(ValidatingWebhookConfiguration, { metadata: { name, labels }, webhooks: [] });
    const names = async () =>
      (await client.list(ValidatingWebhookConfiguration)).items.map(({ metadata }) => metadata.name);
    for (const name of ['carts', 'other']) await create(name, LABELS);
    await create('foreign');
    const dry = await run('--name', 'carts', '--kubeconfig', kubeconfig, '--dry-run');
    expect(dry.lines).toEqual(['current context: would remove ValidatingWebhookConfiguration carts']);
    expect(await names()).toEqual(['carts', 'foreign', 'other']);
    expect((await run('--name', 'carts', '--kubeconfig', kubeconfig)).lines).toEqual([
      'current context: removed ValidatingWebhookConfiguration carts',
    ]);
    expect((await run('--all', '--kubeconfig', kubeconfig)).status).toBe(0);
    expect(await names()).toEqual(['foreign']);
    expect((await run('--name', 'carts', '--kubeconfig', kubeconfig)).lines).toEqual([
      'current context: nothing to remove',
    ]);
  });

  it('WH-4: reports each cluster in a line of its own, and a cluster that fails does not hold the others', async () => {
    const { status, lines } = await run('--name', 'carts', '--all-contexts', '--timeout', '2');
    expect(status).toBe(1);
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => line.endsWith(': nothing to remove'))).toHaveLength(1);
    expect(lines.find((line) => line.startsWith('gone: '))).toMatch(/^gone: failed: /);
    expect((await run('--name', 'carts', '--context', 'absent')).lines[0]).toMatch(/^absent: failed: .*absent/);
  });
});
