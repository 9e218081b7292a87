import type { ObjectOf } from '@mcr/client';
import { z } from 'zod';
import { defineKind, k8s } from './index.ts';

/** The example of the documentation. */
export const Backup = defineKind({
  apiVersion: 'shop.example.com/v1',
  kind: 'Backup',
  plural: 'backups',
  scope: 'Namespaced',
  shortNames: ['bk'],
  categories: ['shop'],
  description: 'A backup of a shop.',
  spec: z
    .object({
      replicas: z.int32().min(0).default(1).describe('Pods per region.'),
      schedule: z.string().max(100),
      tier: z.enum(['gold', 'silver']).nullable().optional(),
      template: k8s.podTemplateSpec().optional(),
    })
    .meta(k8s.cel({ rule: 'self.replicas <= 100', message: 'at most 100 replicas' })),
  status: z.object({
    conditions: k8s.conditions().optional(),
    readyReplicas: z.int32().optional(),
    selector: z.string().optional(),
  }),
  printerColumns: [
    { name: 'Ready', jsonPath: '.status.readyReplicas' },
    { name: 'State', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', jsonPath: '.metadata.creationTimestamp' },
  ],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.readyReplicas',
    labelSelectorPath: '.status.selector',
  },
  selectableFields: ['.spec.schedule'],
});
export type Backup = ObjectOf<typeof Backup>;
