import { describe, expect, it } from '@jest/globals';
import { isWrite } from './is-write.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('writes', () => {
  it.each([
    ['POST', CONFIG_MAPS],
    ['POST', `${CONFIG_MAPS}?fieldManager=mcr`],
    ['PUT', `${CONFIG_MAPS}/a`],
    ['PATCH', `${CONFIG_MAPS}/a?fieldManager=mcr&force=true`],
    ['PATCH', '/apis/apps/v1/namespaces/default/deployments/a/status'],
    ['DELETE', `${CONFIG_MAPS}/a`],
    ['DELETE', `${CONFIG_MAPS}?labelSelector=a`],
    ['POST', '/api/v1/namespaces/default/pods/a/eviction'],
    ['POST', '/api/v1/namespaces/default/pods/a/binding'],
    ['POST', '/api/v1/namespaces/default/serviceaccounts/a/token'],
  ] as const)('SH-4: %s %s is a write', (method, path) => {
    expect(isWrite({ method, path })).toBe(true);
  });

  it.each([
    ['GET', CONFIG_MAPS],
    ['GET', `${CONFIG_MAPS}?watch=true`],
    ['POST', `${CONFIG_MAPS}?dryRun=All`],
    ['PUT', `${CONFIG_MAPS}/a?fieldManager=mcr&dryRun=All`],
    ['PATCH', `${CONFIG_MAPS}/a?dryRun=All&force=true`],
  ] as const)('SH-4: %s %s is not a write', (method, path) => {
    expect(isWrite({ method, path })).toBe(false);
  });

  it.each([
    '/apis/authentication.k8s.io/v1/tokenreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldManager=mcr',
    '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
  ])('SH-4: a POST to %s asks a question, and is not a write', (path) => {
    expect(isWrite({ method: 'POST', path })).toBe(false);
  });

  it.each([
    ['POST', `${CONFIG_MAPS}?dryRun=`],
    ['POST', `${CONFIG_MAPS}?dryRun=None`],
    ['POST', `${CONFIG_MAPS}?dryRun=All&dryRun=None`],
    ['POST', `${CONFIG_MAPS}?fieldManager=dryRun%3DAll`],
    // API servers ignore the query of a deletion that has a body.
    ['DELETE', `${CONFIG_MAPS}/a?dryRun=All`],
    ['POST', '/apis/example.com/v1/tokenreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/namespaces/default/others/subjectaccessreviews'],
  ] as const)('SH-4: %s %s counts as a write, because it may be one', (method, path) => {
    expect(isWrite({ method, path })).toBe(true);
  });
});
