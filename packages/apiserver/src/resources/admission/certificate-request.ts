import type { JsonObject } from '../../storage/stored-object.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';

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
