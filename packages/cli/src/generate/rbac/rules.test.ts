import { describe, expect, it } from '@jest/globals';
import type { ProjectPermission } from '../../project/project.ts';
import { rulesOf } from './rules.ts';

const needed = (verbs: string[], fields: Partial<ProjectPermission> = {}): ProjectPermission => ({
  group: '',
  resource: 'configmaps',
  isClusterScoped: false,
  verbs,
  in: 'local',
  neededBy: 'controller "a"',
  ...fields,
});

/** Returns each rule as text: `get, list configmaps` and its comments. */
function rulesAsText(...permissions: ProjectPermission[]): string[] {
  return rulesOf(permissions).map(({ policy: { apiGroups, resources, resourceNames = [], verbs }, comments }) => {
    const names = resourceNames.length > 0 ? ` [${resourceNames.join()}]` : '';
    const group = apiGroups[0] === '' ? '' : `${apiGroups.join()} `;
    return `${verbs.join()} ${group}${resources.join()}${names}: ${comments.join('; ')}`;
  });
}

describe('rules of permissions', () => {
  it('WB-3: has one rule for the same resource, with the verbs in a fixed order and every reason', () => {
    const permissions = [
      needed(['watch', 'list']),
      needed(['patch', 'get'], { neededBy: 'controller "b"' }),
      needed(['get'], { resource: 'secrets' }),
    ];
    const expected = ['get,list,watch,patch configmaps: controller "a"; controller "b"', 'get secrets: controller "a"'];
    expect(rulesAsText(...permissions)).toEqual(expected);
    expect(rulesAsText(...permissions.toReversed())).toEqual(expected);
  });

  it('WB-3: merges resources of one group with equal verbs, and says who needs which', () => {
    expect(
      rulesAsText(
        needed(['get'], { resource: 'secrets', neededBy: 'b' }),
        needed(['get'], { neededBy: 'a' }),
        needed(['get'], { group: 'apps', resource: 'deployments' }),
      ),
    ).toEqual(['get configmaps,secrets: configmaps: a; secrets: b', 'get apps deployments: controller "a"']);
  });

  it('WB-3: keeps names, and leaves out what all objects have', () => {
    expect(
      rulesAsText(
        needed(['get', 'patch'], { names: ['b', 'a'], neededBy: 'named' }),
        needed(['create', 'get'], { neededBy: 'all' }),
        needed(['get'], { names: ['c'], resource: 'secrets' }),
      ),
    ).toEqual([
      'get,create configmaps: all; named',
      'patch configmaps [a,b]: named',
      'get secrets [c]: controller "a"',
    ]);
  });

  it('WB-3: subresources have rules of their own', () => {
    expect(rulesAsText(needed(['patch'], { subresource: 'status' }), needed(['get']))).toEqual([
      'get configmaps: controller "a"',
      'patch configmaps/status: controller "a"',
    ]);
  });

  it('WB-3: grants wildcards and powerful verbs only if the code declares them, and marks them', () => {
    expect(rulesAsText(needed(['*']), needed(['get']))).toEqual([
      '* configmaps: controller "a"; all verbs, those that Kubernetes will add included',
    ]);
    expect(rulesAsText(needed(['escalate', 'get'], { resource: 'roles' }))).toEqual([
      'get,escalate roles: controller "a"; escalate: can give itself permissions that it does not have',
    ]);
  });

  it.each<[string, Partial<ProjectPermission>, string]>([
    ['group', { group: '*' }, 'get * configmaps: controller "a"; all groups, those that will be added included'],
    ['resource', { resource: '*' }, 'get *: controller "a"; all resources, those that will be added included'],
    [
      'resource of a subresource',
      { resource: '*', subresource: 'scale' },
      'get */scale: controller "a"; */scale: this subresource of all resources',
    ],
  ])('WB-3: says what a wildcard as %s allows', (_, fields, rule) => {
    expect(rulesAsText(needed(['get'], fields))).toEqual([rule]);
  });
});
