import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { memberKubeconfig } from './member-kubeconfig.ts';

it('KC-7: names remain texts for Go programs, which read YAML 1.1', () => {
  const config = { server: 'https://127.0.0.1:1', auth: { type: 'token', token: '12:30:45' } } as const;
  for (const name of ['no', 'on', 'y']) {
    expect(parse(memberKubeconfig(name, config), { version: '1.1' })).toMatchObject({
      clusters: [{ name }],
      users: [{ name, user: { token: '12:30:45' } }],
      'current-context': name,
    });
  }
});
