/* A Pod template of a generated kind, in a built-in one. Compiled by `tsc`, never run. */
import type { Draft, StatefulSet } from '@mcr/client';

/** A part of a Pod template as `mcr types` writes it. */
interface GeneratedTemplate {
  metadata?: { labels?: { [key: string]: string } | undefined } | undefined;
  spec?:
    | {
        containers: {
          name: string;
          image?: string | undefined;
          ports?: { containerPort: number; protocol?: string | undefined }[] | undefined;
          resources?: { limits?: { [key: string]: number | string } | undefined } | undefined;
        }[];
      }
    | undefined;
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
