import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/client';
import type { Body } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import { Choices } from '../../choices.ts';
import { widgetDefinition } from './widget-definition.ts';
import type { Fact } from '../session.ts';
import { Session } from '../session.ts';

/** One sequence for each seed, and the number of operations of a sequence. */
const SEEDS = [1, 2, 3, 4];
const STEPS = 75;

const GROUP = 'apply.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

type Json = Readonly<Record<string, unknown>>;

/** Applies, updates and patches the same few objects as several managers, in random orders. */
export async function apply(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  using client = new RawClient(config);
  await client.post(DEFINITIONS, widgetDefinition(GROUP));
  for (const version of ['v1', 'v1beta1']) {
    // kube-apiserver takes a moment until the kind is served.
    while ((await client.get(`/apis/${GROUP}/${version}/widgets`)).status !== 200) await sleep(50);
  }
  for (const seed of SEEDS) {
    const metadata = { name: `apply-${seed}` };
    const owner = await session.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    const choices = new Choices(seed);
    const { operations } = new Sequence(session, choices, owner);
    for (let step = 0; step < STEPS; step++) await choices.one(operations)();
  }
  return JSON.parse(JSON.stringify(session.facts)) as Fact[];
}

class Sequence {
  readonly operations: readonly (() => Promise<unknown>)[];
  readonly #session: Session;
  readonly #choices: Choices;
  readonly #namespace: string;
  readonly #owner: Json;

  /** @param owner namespace of the objects, which exists and so can own them. */
  constructor(session: Session, choices: Choices, { metadata: { name, uid } }: Body) {
    this.#session = session;
    this.#choices = choices;
    this.#namespace = name;
    this.#owner = { apiVersion: 'v1', kind: 'Namespace', name, uid };
    const often = <T>(operation: T, times: number): T[] => Array.from({ length: times }, () => operation);
    this.operations = [
      ...often(() => this.#applyWidget(), 6),
      ...often(() => this.#applyMap(), 4),
      ...often(() => this.#mergeWidget(), 2),
      ...often(() => this.#replaceWidget(), 2),
      () => this.#invalidWidget(),
      () => this.#invalidMap(),
      () => this.#statusOfWidget(),
      () => this.#scaleOfWidget(),
      () => this.#mergeMap(),
      () => this.#replaceMap(),
      () => this.#delete(),
    ];
  }

  #widgets(version = 'v1'): string {
    return `/apis/${GROUP}/${version}/namespaces/${this.#namespace}/widgets`;
  }

  get #maps(): string {
    return `/api/v1/namespaces/${this.#namespace}/configmaps`;
  }

  #name(): string {
    return this.#choices.one(['a', 'b']);
  }

  #spec(): Json {
    const { one, list } = { one: <T>(from: readonly T[]) => this.#choices.one(from), list: this.#list };
    const text = (): string => one(['x', 'y', 'z']);
    const item = (name: string): Json => ({
      name,
      ...this.#some({ port: () => one([80, 81]), value: text, tags: () => list(['p', 'q']) }),
    });
    return this.#some({
      replicas: () => one([0, 1, 2]),
      items: () => list(['one', 'two', 'three']).map(item),
      tags: () => list(['a', 'b', 'c']),
      numbers: () => list([1, 2, 3]),
      flat: () => list(['a', 'b']),
      labels: () => this.#some({ a: text, b: text }),
      whole: () => this.#some({ a: text, b: text }),
      open: () => this.#some({ a: text, b: () => list([1, 2]), c: () => ({ d: text() }) }),
      nested: () => this.#some({ a: text, b: text, deep: () => this.#some({ a: text }) }),
      note: () => one([null, 'x']),
      port: () => one([80, 'http']),
    });
  }

  readonly #list = <T>(names: readonly T[]): T[] => this.#choices.some(names);

  /** Returns some of the fields. */
  #some(fields: Readonly<Record<string, () => unknown>>, probability = 0.35): Json {
    const chosen = this.#choices.some(Object.entries(fields), probability);
    return Object.fromEntries(chosen.map(([name, value]) => [name, value()]));
  }

  #metadata(name: string): Json {
    const text = (): string => this.#choices.one(['x', 'y']);
    return filled({
      name,
      ...this.#some({
        labels: () => this.#some({ l: text, m: text }),
        annotations: () => this.#some({ n: text }),
        finalizers: () => this.#list(['example.com/a', 'example.com/b']),
        ownerReferences: () => this.#list([this.#owner]),
      }),
    });
  }

  #widget(name: string, version: string): Json {
    const status = this.#choices.chance(0.1) ? { status: { phase: 'ignored' } } : {};
    return {
      apiVersion: `${GROUP}/${version}`,
      kind: 'Widget',
      metadata: this.#metadata(name),
      spec: this.#spec(),
      ...status,
    };
  }

  #map(name: string): Json {
    const text = (): string => this.#choices.one(['x', 'y']);
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: this.#metadata(name),
      ...filled(
        this.#some({
          data: () => this.#some({ a: text, b: text, c: () => null }),
          binaryData: () => this.#some({ d: () => 'eA==' }),
        }),
      ),
    };
  }

  #applier(): string {
    const force = this.#choices.one(['', '&force=true', '&force=false']);
    return `fieldManager=${this.#choices.one(['one', 'two', 'three'])}${force}`;
  }

  #updater(): string {
    return `fieldManager=${this.#choices.one(['up', 'down'])}`;
  }

  #applyWidget(): Promise<Body> {
    const version = this.#choices.one(['v1', 'v1', 'v1', 'v1beta1']);
    const name = this.#name();
    const path = `${this.#widgets(version)}/${name}?${this.#applier()}`;
    return this.#session.patch('apply', path, this.#widget(name, version));
  }

  #applyMap(): Promise<Body> {
    const name = this.#name();
    return this.#session.patch('apply', `${this.#maps}/${name}?${this.#applier()}`, this.#map(name));
  }

  #mergeWidget(): Promise<Body> {
    const spec = { ...this.#spec(), ...this.#some({ labels: () => null, items: () => null }, 0.1) };
    return this.#session.patch('merge', `${this.#widgets()}/${this.#name()}?${this.#updater()}`, { spec });
  }

  #mergeMap(): Promise<Body> {
    const { apiVersion: _, kind: _kind, ...patch } = this.#map(this.#name());
    const { name: _name, ...metadata } = patch['metadata'] as Json;
    return this.#session.patch('merge', `${this.#maps}/${this.#name()}?${this.#updater()}`, { ...patch, metadata });
  }

  async #replaceWidget(): Promise<void> {
    const name = this.#name();
    const path = `${this.#widgets()}/${name}`;
    const spec = this.#spec();
    const reset = this.#choices.one([undefined, undefined, undefined, [], [{}]]);
    const query = this.#updater();
    const present = await this.#session.get(path);
    if (present.kind !== 'Widget') return;
    const metadata = { ...present.metadata, ...(reset && { managedFields: reset }) };
    await this.#session.put(`${path}?${query}`, { ...present, metadata, spec });
  }

  async #replaceMap(): Promise<void> {
    const map = this.#map(this.#name());
    const { name } = map['metadata'] as { readonly name: string };
    await this.#session.put(`${this.#maps}/${name}?${this.#updater()}`, map);
  }

  #statusOfWidget(): Promise<Body> {
    const name = this.#name();
    const text = (): string => this.#choices.one(['x', 'y']);
    const condition = (type: string): Json => ({ type, ...this.#some({ status: text, reason: text }) });
    const status = this.#some({
      phase: text,
      replicas: () => this.#choices.one([1, 2]),
      conditions: () => this.#list(['Ready', 'Done']).map(condition),
    });
    const path = `${this.#widgets()}/${name}/status`;
    if (this.#choices.chance(0.3)) return this.#session.patch('merge', `${path}?${this.#updater()}`, { status });
    const widget = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name }, status };
    const ignored = this.#choices.chance(0.3) ? { spec: this.#spec() } : {};
    return this.#session.patch('apply', `${path}?${this.#applier()}`, { ...widget, ...ignored });
  }

  #scaleOfWidget(): Promise<Body> {
    const name = this.#name();
    const spec = this.#some({ replicas: () => this.#choices.one([0, 1, 2]) }, 0.9);
    const path = `${this.#widgets()}/${name}/scale`;
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec };
    if (this.#choices.chance(0.3)) return this.#session.patch('merge', `${path}?${this.#updater()}`, { spec });
    return this.#session.patch('apply', `${path}?${this.#applier()}`, scale);
  }

  /** Applies a widget with one error, because several are reported in a random order. */
  #invalidWidget(): Promise<Body> {
    const spec = this.#choices.one<Json>([
      { unknown: 1 },
      { replicas: 'one' },
      { replicas: [1] },
      { items: 'x' },
      { items: [{ name: 'one' }, { name: 'one', port: 80 }] },
      { items: [null] },
      { items: ['x'] },
      { items: [{ name: 'one', unknown: true }] },
      { items: [{ name: 5 }] },
      { tags: ['a', 'a'] },
      { tags: [null] },
      { tags: [{ a: 1 }] },
      { tags: [['a']] },
      { tags: [1] },
      { numbers: [1, 1] },
      { flat: 'x' },
      { flat: [1] },
      { labels: 'x' },
      { labels: { a: 1 } },
      { labels: { a: 1.5 } },
      { labels: { a: { b: ['c', null, true] } } },
      { labels: ['a'] },
      { whole: { a: 1 } },
      { open: 'x' },
      { nested: { unknown: 'x' } },
      { nested: { a: true } },
      { nested: { deep: { a: null, unknown: 1 } } },
    ]);
    const name = this.#name();
    const widget = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name }, spec };
    return this.#session.patch('apply', `${this.#widgets()}/${name}?${this.#applier()}`, widget);
  }

  #invalidMap(): Promise<Body> {
    const name = this.#name();
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'x' } };
    const body = this.#choices.one<unknown>([
      { ...map, data: 'x' },
      { ...map, data: { a: 1 } },
      { ...map, unknown: true },
      { ...map, immutable: 'yes' },
      { ...map, apiVersion: 'v2' },
      { ...map, apiVersion: 'apps/v1' },
      { ...map, kind: 'Secret' },
      { ...map, metadata: { name: 'other' } },
      { ...map, metadata: { name, namespace: 'default' } },
      { ...map, metadata: {} },
      { ...map, metadata: { name, managedFields: [] } },
      { ...map, metadata: { name, managedFields: null } },
      { ...map, metadata: { name, unknown: 1 } },
      { ...map, metadata: { name, finalizers: ['example.com/a', 'example.com/a'] } },
      { ...map, metadata: { name, resourceVersion: '1' } },
      { ...map, metadata: { name, uid: 'other' } },
      { metadata: { name } },
      'a: b: c',
      '- a',
      '',
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: x\n  a: y\n`,
    ]);
    const strict = this.#choices.one(['', '&fieldValidation=Strict', '&fieldValidation=Ignore']);
    return this.#session.patch('apply', `${this.#maps}/${name}?${this.#applier()}${strict}`, body);
  }

  async #delete(): Promise<void> {
    const path = `${this.#choices.one([this.#widgets(), this.#maps])}/${this.#name()}`;
    await this.#session.patch('merge', path, { metadata: { finalizers: null } });
    await this.#session.delete(path);
  }
}

/**
 * Returns the fields that are not empty collections. A real server takes an empty collection for a change, although it
 * does not store it, and then writes the object if the time of the manager has changed.
 */
function filled(fields: Json): Json {
  const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value as object).length === 0;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}
