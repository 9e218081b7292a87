import { describe, expect, it } from '@jest/globals';
import { messages } from '../protobuf/messages.ts';
import { builtInTypes } from '../resources/kind-table.ts';
import { builtInSchema } from './built-in-schema.ts';
import { zeroValueLines } from './built-in/zero-value-table.fixture.ts';
import { zeroValueTable } from './built-in/zero-value-table.ts';
import { goDecode } from './go-decode.ts';

function decoded(kind: string, version: string, group: string, object: object): object {
  return goDecode({ kind, version, group, schema: builtInSchema(kind) }, object);
}

describe('zero values of built-in kinds', () => {
  it('K-28: the table agrees with the messages of all kinds', () => {
    expect(zeroValueTable.trim().split('\n')).toEqual(zeroValueLines(builtInTypes, messages));
  });

  it('K-28: zero values that Go omits are dropped, and those of pointers are kept', () => {
    const container = { name: 'a', image: 'i', tty: false, workingDir: '', env: [{ name: 'E', value: '' }] };
    const spec = { hostNetwork: false, nodeName: '', priority: 0, automountServiceAccountToken: false };
    expect(decoded('Pod', 'v1', '', { metadata: { name: 'p' }, spec: { ...spec, containers: [container] } })).toEqual({
      metadata: { name: 'p' },
      spec: {
        priority: 0,
        automountServiceAccountToken: false,
        containers: [{ name: 'a', image: 'i', env: [{ name: 'E' }] }],
      },
    });
  });

  it('K-28: zero values that Go always writes are added', () => {
    const volumes = [
      { name: 'a', projected: {} },
      { name: 'b', iscsi: { targetPortal: 'p', iqn: 'iqn.a' } },
    ];
    const securityContext = { sysctls: [{ name: 'kernel.x' }] };
    expect(decoded('Pod', 'v1', '', { spec: { containers: [], securityContext, volumes } })).toEqual({
      spec: {
        containers: [],
        securityContext: { sysctls: [{ name: 'kernel.x', value: '' }] },
        volumes: [
          { name: 'a', projected: { sources: null } },
          { name: 'b', iscsi: { targetPortal: 'p', iqn: 'iqn.a', lun: 0 } },
        ],
      },
    });
  });

  it('K-28: an empty list is kept where Go writes it, and dropped elsewhere', () => {
    expect(decoded('CSINode', 'v1', 'storage.k8s.io', { spec: { drivers: [] } })).toEqual({ spec: { drivers: [] } });
    const rule = { verbs: ['get'], resources: ['pods'], apiGroups: [] };
    expect(decoded('Role', 'v1', 'rbac.authorization.k8s.io', { rules: [rule] })).toEqual({
      rules: [{ verbs: ['get'], resources: ['pods'] }],
    });
  });
});
