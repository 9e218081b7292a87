import { describe, expect, it } from '@jest/globals';
import type { Draft, PersistentVolumeClaim, ResourceQuota } from '@mcr/client';
import { z } from 'zod';
import { defineKind, k8s, newObject, resourceList } from '../index.ts';

const Tenant = defineKind({
  apiVersion: 'tenants.example.com/v1',
  kind: 'Tenant',
  plural: 'tenants',
  scope: 'Cluster',
  spec: z.object({ storage: k8s.quantity().default('1Gi'), hard: k8s.mapOf(k8s.quantity(), { max: 3 }) }),
});

describe('resourceList', () => {
  it('KS-2: makes quantities fit into the fields of built-in kinds', () => {
    const { spec } = newObject(Tenant, { metadata: { name: 'a' }, spec: { hard: { pods: 3, memory: '1.5Gi' } } });
    const quota: Draft<ResourceQuota> = { metadata: { name: 'a' }, spec: { hard: resourceList(spec.hard) } };
    expect(quota.spec?.hard).toEqual({ pods: '3', memory: '1.5Gi' });
    const requests = resourceList({ storage: spec.storage });
    const claim: Draft<PersistentVolumeClaim> = { metadata: { name: 'a' }, spec: { resources: { requests } } };
    expect(claim.spec?.resources?.requests).toEqual({ storage: '1Gi' });
  });
});
