import * as z from 'zod';

const GROUP_VERSION = 'expected a group and version such as "shop.example.com/v1"';
const KIND = 'expected a name in CamelCase such as "Backup", with at most 63 letters and digits';
const PLURAL = 'expected a name in lower case such as "backups", with at most 63 letters and digits';

/** A DNS label in lower case, as the server demands of the names of a resource. */
export const resourceName = z
  .string(PLURAL)
  .max(63, PLURAL)
  .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, PLURAL);

/** CamelCase. The server demands a DNS label when it is in lower case. */
export const kindName = z
  .string(KIND)
  .max(63, KIND)
  .regex(/^[A-Z][A-Za-z0-9]*$/, KIND);

/** A group with a dot, and a version that is a DNS label. */
export const groupVersion = z
  .string(GROUP_VERSION)
  .max(253 + 64, GROUP_VERSION)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+\/[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
    GROUP_VERSION,
  );
