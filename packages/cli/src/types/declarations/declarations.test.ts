import { describe, expect, it } from '@jest/globals';
import { crdOf, defineKind, k8s, type StructuralSchema } from '@mcr/kinds';
import * as z from 'zod';
import { parseDefinition } from '../definitions/definition.ts';
import { kindModules, type ModuleOptions } from '../module/kind-module.ts';

const text = { type: 'string' };
const object = (properties: Readonly<Record<string, object>>, keywords: object = {}) => ({
  ...{ type: 'object', properties, ...keywords },
});

function moduleOf(versions: Readonly<Record<string, object>>, options?: ModuleOptions): string {
  const names = { kind: 'Fleet', plural: 'fleets' };
  const spec = {
    ...{ group: 'example.com', scope: 'Namespaced', names },
    versions: Object.entries(versions).map(([name, properties], index) => ({
      ...{ name, served: true, storage: index === 0, subresources: { status: {} } },
      schema: { openAPIV3Schema: { type: 'object', properties } },
    })),
  };
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
  const [module] = kindModules(parseDefinition({ ...crd, metadata: { name: 'fleets.example.com' } }, 'test'), options);
  return module?.text ?? '';
}

/** Names and texts of the exported types of a module. */
function typesOf(module: string): Map<string, string> {
  const types = module.matchAll(/^export (?:interface|type) (\w+)([^;{]*(?:;|\{[^}]*\}))/gm);
  return new Map([...types].map(([, name = '', body = '']) => [name, body.replaceAll(/\s+/g, ' ').trim()]));
}

/** The schema of a Pod template, as a CustomResourceDefinition has it. */
const template = ((): StructuralSchema => {
  const names = { apiVersion: 'example.com/v1', kind: 'Fleet', plural: 'fleets', scope: 'Namespaced' } as const;
  const { versions } = crdOf(defineKind({ ...names, spec: z.object({ template: k8s.podTemplateSpec() }) })).spec;
  const root = versions[0]?.schema?.openAPIV3Schema as StructuralSchema;
  return root.properties?.['spec']?.properties?.['template'] ?? {};
})();

const backup = object({ schedule: object({ cron: text }), target: object({ bucket: text }) });

describe('types of a generated module', () => {
  it('KS-6: have the names that Kubernetes gives them, also of a release with other fields', () => {
    const { spec = {} } = template.properties ?? {};
    const { hostUsers: _, ...fields } = spec.properties ?? {};
    const other = { ...template, properties: { ...template.properties, spec: object({ ...fields, later: backup }) } };
    for (const each of [template, other]) {
      const types = typesOf(moduleOf({ v1: { spec: object({ workers: object({ a: each, b: each }) }) } }));
      expect([...types.keys()]).toEqual(
        expect.arrayContaining([
          'FleetPodTemplateSpec',
          'FleetPodSpec',
          'FleetContainer',
          'FleetProbe',
          'FleetToleration',
        ]),
      );
      expect(types.get('FleetSpecWorkers')).toBe('{ a?: FleetPodTemplateSpec; b?: FleetPodTemplateSpec; }');
      expect(types.get('FleetPodSpecLaterSchedule')).toBe(each === other ? '{ cron?: string; }' : undefined);
    }
  });

  it('KS-6: have each name that Kubernetes gives to equal schemas', () => {
    const module = moduleOf({ v1: { spec: object({ template }) } });
    const types = typesOf(module);
    // Without descriptions, both have the same fields.
    expect(types.get('FleetSecretKeySelector')).toBe('= FleetConfigMapKeySelector;');
    expect(types.get('FleetEnvVarSource')).toContain('secretKeyRef?: FleetConfigMapKeySelector;');
  });

  it('KS-6: have a name for each path, and keep it when the definition gets other fields', () => {
    const before = typesOf(
      moduleOf({ v1: { spec: object({ backup, nightly: backup, list: { type: 'array', items: backup } }) } }),
    );
    expect(Object.fromEntries(before)).toMatchObject({
      FleetSpecBackup: '{ schedule?: FleetSpecBackupSchedule; target?: FleetSpecBackupTarget; }',
      FleetSpecNightly: '= FleetSpecBackup;',
      FleetSpecListItem: '= FleetSpecBackup;',
    });
    const changed = object({ ...backup.properties, added: object({ bucket: text, depth: text }) });
    const after = typesOf(
      moduleOf({
        v1: {
          spec: object({
            all: object({ a: backup }),
            backup,
            nightly: changed,
            list: { type: 'array', items: backup },
          }),
        },
      }),
    );
    expect([...after.keys()]).toEqual(expect.arrayContaining([...before.keys()]));
    expect(after.get('FleetSpecBackup')).toBe(before.get('FleetSpecBackup'));
    expect(after.get('FleetSpecNightly')).toContain('added?: FleetSpecNightlyAdded;');
  });

  it('KS-6: are shared by versions, and by schemas that differ in what the server checks only', () => {
    const limited = object({
      schedule: object({ cron: { ...text, maxLength: 9 } }),
      target: backup.properties['target'] ?? {},
    });
    const types = typesOf(moduleOf({ v1: { spec: object({ backup }) }, v2: { spec: object({ backup: limited }) } }));
    expect(Object.fromEntries(types)).toMatchObject({
      FleetV1SpecBackupSchedule: '{ cron?: string; }',
      FleetV2SpecBackup: '= FleetV1SpecBackup;',
      FleetV2SpecBackupSchedule: '= FleetV1SpecBackupSchedule;',
    });
  });

  it('KS-6: are those of @mcr/kinds for conditions, unless the schema of a condition differs', () => {
    const { properties = {}, required = [] } = conditionSchema();
    const conditions = (condition: object) =>
      moduleOf({ v1: { status: object({ conditions: { type: 'array', items: condition } }) } });
    const standard = conditions(object(properties, { required }));
    expect(typesOf(standard).get('FleetStatus')).toBe('{ conditions?: k8s.Condition[]; }');
    expect(typesOf(standard).has('FleetStatusConditionsItem')).toBe(false);
    const others = [
      object({ ...properties, severity: text }, { required }),
      object(properties, { required: ['status', 'type'] }),
      object({ ...properties, status: text }, { required }),
      object({ ...properties, reason: { ...text, nullable: true } }, { required }),
      object({ ...properties, reason: { ...text, default: 'a' } }, { required }),
      object(properties, { required, 'x-kubernetes-preserve-unknown-fields': true }),
    ];
    for (const each of others) {
      expect(typesOf(conditions(each)).get('FleetStatus')).toBe('{ conditions?: FleetStatusConditionsItem[]; }');
    }
  });

  it('KS-6: have valid names if a field has the name of a method of every object', () => {
    const types = typesOf(moduleOf({ v1: { spec: object({ constructor: backup, toString: backup }) } }));
    expect(types.get('FleetSpecToString')).toBe('= FleetSpecConstructor;');
    expect(types.get('FleetSpecConstructor')).toContain('schedule?: FleetSpecConstructorSchedule;');
  });

  it('KS-6: import k8s, also if its only call begins in a line of its own', () => {
    const module = moduleOf({ v1: { spec: object({ size: text }, { description: 'a'.repeat(100) }) } });
    expect(module).toContain('  spec: k8s\n    .typed<FleetSpec>(');
    expect(module).toContain("import { defineKind, k8s, type ObjectOf } from '@mcr/kinds';");
  });

  it('KS-6: require a spec if the definition or the caller does', () => {
    const spec = object({ backup });
    expect(moduleOf({ v1: { spec } })).toContain('  spec: k8s.typed<FleetSpec>(fleetSpecSchema).optional(),\n');
    const required = moduleOf({ v1: { spec } }, { requireSpec: true });
    expect(required).toContain('  spec: k8s.typed<FleetSpec>(fleetSpecSchema.optional()),\n');
  });
});

function conditionSchema(): StructuralSchema {
  const names = { apiVersion: 'example.com/v1', kind: 'Fleet', plural: 'fleets', scope: 'Namespaced' } as const;
  const { versions } = crdOf(defineKind({ ...names, status: z.object({ conditions: k8s.conditions() }) })).spec;
  const root = versions[0]?.schema?.openAPIV3Schema as StructuralSchema;
  return root.properties?.['status']?.properties?.['conditions']?.items ?? {};
}
