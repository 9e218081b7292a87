import { scalarText, valueAt } from '../resources/resource-type.ts';
import { goQuote } from '../go-quote.ts';
import { forbiddenBy } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Update } from './update.ts';

/**
 * Checks that the user may approve a request for a certificate. (Upstream: admission plugin `CertificateApproval`.)
 *
 * @throws {StatusError} 403
 */
export function requireApprover({ target, part, mayApprove }: Update, previous: ApiObject): void {
  if (part !== 'approval' || !mayApprove) return;
  const signer = scalarText(valueAt(previous, 'spec.signerName'));
  if (mayApprove(signer)) return;
  const why = `user not permitted to approve requests with signerName ${goQuote(signer)}`;
  throw forbiddenBy(target.type, target.name, why);
}
