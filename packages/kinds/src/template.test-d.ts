/* A Pod template of a generated kind, in a built-in one. Compiled by `tsc`, never run. */
import type { Draft, StatefulSet } from '@mcr/client';

/** A part of a Pod template as `mcr types` writes it. */
interface GeneratedTemplate {
  metadata?: { labels?: { [key: string]: string } };
  spec?: {
    containers: {
      name: string;
      image?: string;
      ports?: { containerPort: number; protocol?: string }[];
      resources?: { limits?: { [key: string]: number | string } };
    }[];
  };
}
type PodTemplate = NonNullable<StatefulSet['spec']>['template'];
declare const template: GeneratedTemplate;

const set: Draft<StatefulSet> = {
  metadata: { namespace: 'default', name: 'workers' },
  spec: { serviceName: 'workers', selector: {}, template: template as PodTemplate },
};
void set;

// @ts-expect-error -- quantities are numbers or strings
const direct: PodTemplate = template;
void direct;
// @ts-expect-error -- the assertion still refuses something else
void ({ spec: { containers: 'none' } } as PodTemplate);
