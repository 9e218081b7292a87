import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';
import { scalarText, setValueAt, valueAt } from '../resource-type.ts';
import { MASTERS } from '../../access/user.ts';
import { forbiddenBy } from '../../status.ts';
import { organizationsOf } from '../certificate-request.ts';
import { now } from '../timestamp.ts';

/** Records who requests a certificate. An update of the object changes neither spec nor status. */
export function admitCertificateRequest({ object, previous }: Change, { user }: AdmissionContext): void {
  if (previous) {
    object['spec'] = previous['spec'];
    return;
  }
  const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...spec } = object['spec'] as JsonObject;
  object['spec'] = {
    ...spec,
    ...(user && {
      username: user.name,
      ...(user.uid !== undefined && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(Object.keys(user.extra ?? {}).length > 0 && { extra: user.extra }),
    }),
  };
}

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/**
 * Refuses to certify administrators. (Upstream: plugin `CertificateSubjectRestriction`.)
 *
 * @throws {StatusError} 403
 */
export function restrictSubject({ object }: Change, { nameInErrors }: AdmissionContext): void {
  if (valueAt(object, 'spec.signerName') !== CLIENT_SIGNER) return;
  const request = Buffer.from(scalarText(valueAt(object, 'spec.request')), 'base64');
  if (!organizationsOf(request).includes(MASTERS)) return;
  const resource = { group: 'certificates.k8s.io', plural: 'certificatesigningrequests' };
  throw forbiddenBy(resource, nameInErrors, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}

/**
 * Sets the times of conditions, for an update of the status or the approval. Approvals and denials that exist stay as they
 * are in the former. (Upstream: `preserveConditionInstances` and `populateConditionTimestamps`.)
 */
export function admitCertificateStatus({ object, previous, subresource }: Change): void {
  const conditions = listAt(object, 'status.conditions') as readonly JsonObject[];
  if (conditions.length === 0) return;
  const before = listAt(previous, 'status.conditions') as readonly JsonObject[];
  const kept =
    subresource === 'status' ? ['Approved', 'Denied'].filter((type) => isKept(type, conditions, before)) : [];
  const time = now();
  setValueAt(
    object,
    'status.conditions',
    conditions.map((condition) => {
      const same = before.find(({ type }) => type === condition['type']);
      if (same && kept.includes(String(same['type']))) return same;
      const since = same?.['status'] === condition['status'] ? same?.['lastTransitionTime'] : undefined;
      return {
        ...condition,
        lastUpdateTime: condition['lastUpdateTime'] ?? time,
        lastTransitionTime: condition['lastTransitionTime'] ?? since ?? time,
      };
    }),
  );
}

function isKept(type: string, conditions: readonly JsonObject[], before: readonly JsonObject[]): boolean {
  const count = (list: readonly JsonObject[]): number => list.filter((each) => each['type'] === type).length;
  return count(conditions) === count(before);
}
