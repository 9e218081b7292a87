/* Optional fields of kinds from every source, with `exactOptionalPropertyTypes`. Compiled by `tsc`, never run. */
import type { Deployment, Draft } from '@mcr/client';
import { z } from 'zod';
import { defineKind, type InputOf, k8s, newObject, type ObjectOf } from './index.ts';

const names = { apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', scope: 'Cluster' } as const;

/** A part of a generated module. */
interface GeneratedSpec {
  container?: { image?: string; name: string };
  conditions?: k8s.Condition[];
}
export const Generated = defineKind({ ...names, spec: k8s.typed<GeneratedSpec>(z.object({})).optional() });
const Own = defineKind({
  ...names,
  spec: z
    .object({
      container: z.object({ image: z.string().optional(), name: z.string() }).optional(),
      conditions: k8s.conditions().optional(),
    })
    .optional(),
  fields: z.object({ extra: z.record(z.string(), z.object({ a: z.string().optional() })).optional() }),
});

/** Parts of own, generated and built-in kinds fit one another. */
export function parts(own: ObjectOf<typeof Own>, generated: ObjectOf<typeof Generated>): Draft<Deployment> {
  if (own.spec) generated.spec = own.spec;
  if (generated.spec) own.spec = generated.spec;
  const container = own.spec?.container ?? { name: 'main' };
  const others = generated.spec?.container ? [generated.spec.container] : [];
  own.extra = { b: {} };
  return {
    metadata: { name: 'thing' },
    spec: { selector: {}, template: { spec: { containers: [container, ...others] } } },
  };
}

/** An optional field is left out, not set to `undefined`. What `newObject` takes may be `undefined`. */
export function absent(own: ObjectOf<typeof Own>, image: string | undefined): void {
  const input: InputOf<typeof Own> = { metadata: { name: 'thing' }, spec: { container: { name: 'main', image } } };
  newObject(Own, input);
  // @ts-expect-error -- objects have no fields that are undefined
  own.spec = { container: { name: 'main', image } };
  // @ts-expect-error -- in maps, too
  own.extra = { a: { a: image } };
  own.spec = { container: { name: 'main', ...(image !== undefined && { image }) } };
}

/** Schemas of `k8s` have types when they are written. */
export function inputs(): void {
  const Templated = defineKind({
    ...names,
    spec: z.object({ template: k8s.podTemplateSpec(), port: k8s.intOrString() }),
  });
  const metadata = { name: 'thing' };
  newObject(Templated, { metadata, spec: { template: { spec: { containers: [{ name: 'main' }] } }, port: 'http' } });
  // @ts-expect-error -- a container has a name
  newObject(Templated, { metadata, spec: { template: { spec: { containers: [{}] } }, port: 'http' } });
  // @ts-expect-error -- a port is not a list
  newObject(Templated, { metadata, spec: { template: {}, port: [] } });
}
