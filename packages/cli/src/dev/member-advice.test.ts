import { describe, expect, it } from '@jest/globals';
import { defineKind, type Kind, type KubernetesObject, type Manager, Namespace, Secret } from '@mcr/core';
import { describeConfig } from '../project/describe-project.ts';
import { memberAdvice } from './member-advice.ts';

const Cluster = defineKind({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', plural: 'clusters' });

describe('the advice of mcr dev about members', () => {
  it.each<[string, Kind<KubernetesObject>[], RegExp | undefined]>([
    ['Secrets with kubeconfigs', [Secret], undefined],
    [
      'Clusters of Cluster API',
      [Secret, Cluster],
      /^the provider reads clusters\.cluster\.x-k8s\.io: apply .* in \/members$/u,
    ],
    ['Namespaces', [Namespace], /^the provider reads Namespaces of the hub: create some/u],
    ['files', [], /^the kubeconfigs of the members are in \/members: .*KUBECONFIG_DIR/u],
  ])('WB-2: %s', async (_, kinds, advice) => {
    const setup = ({ permissions }: Manager): void =>
      permissions.require(
        'provider',
        kinds.map((kind) => ({ kind, verbs: ['list'] as const, in: 'local' as const })),
      );
    const project = await describeConfig('mcr.config.ts', { name: 'a', manager: () => ({}), setup });
    const found = memberAdvice({ ...project, hasProvider: true }, '/members');
    if (advice) expect(found).toMatch(advice);
    else expect(found).toBeUndefined();
    expect(memberAdvice({ ...project, hasProvider: false }, '/members')).toBeUndefined();
  });
});
