import type { Authorizer } from './authorizer.ts';
import type { User } from './user.ts';

/**
 * Reports whether a user may approve requests for certificates of a signer, or of all signers of its domain. (Upstream:
 * `certauthorization.IsAuthorizedForSignerName`.)
 */
export function mayApprove(authorizer: Authorizer, user: User, signer: string): boolean {
  const [domain = ''] = signer.split('/');
  const request = {
    verb: 'approve',
    group: 'certificates.k8s.io',
    resource: 'signers',
    subresource: '',
    namespace: '',
  };
  return [signer, `${domain}/*`].some((name) => authorizer.allows(user, { ...request, name }));
}
