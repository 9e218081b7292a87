import * as z from 'zod';
import { isLabelKey, isLabelValue, parseLabelSelector } from './label-selector.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DATA_KEY = /^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/;

const named = (what: string, isValid: (text: string) => boolean) => {
  const expectation = `expected ${what}`;
  return z.stringFormat('name', isValid, expectation);
};

/** Accepts the name of a namespace. (Upstream: `ValidateNamespaceName`, a DNS label.) */
export const namespaceSchema = named(
  'a namespace, which is at most 63 lower case letters, digits and "-", and begins and ends with a letter or digit',
  (text) => LABEL.test(text),
);

/** Accepts the name of an object whose kind has no stricter rule. (Upstream: `NameIsDNSSubdomain`.) */
export const objectNameSchema = named(
  'a name, which is at most 253 lower case letters, digits, "-" and ".", and begins and ends with a letter or digit',
  (text) => text.length <= 253 && SUBDOMAIN.test(text),
);

/** Accepts the key of a label. (Upstream: `IsQualifiedName`.) */
export const labelKeySchema = named(
  'a label key, which is at most 63 letters, digits, "-", "_" and ".", begins and ends with a letter or digit, and may follow a DNS name and "/"',
  isLabelKey,
);

/** Accepts the value of a label that is not empty. (Upstream: `IsValidLabelValue`.) */
export const labelValueSchema = named(
  'a label value, which is at most 63 letters, digits, "-", "_" and ".", and begins and ends with a letter or digit',
  isLabelValue,
);

/** Accepts a key of the data of a Secret or ConfigMap. (Upstream: `IsConfigMapKey`.) */
export const dataKeySchema = named(
  'a key of a Secret, which is at most 253 letters, digits, "-", "_" and ".", is not ".", and does not begin with ".."',
  (text) => text !== '.' && DATA_KEY.test(text),
);

/** Accepts a label selector, including an empty one. The message of a syntax error names the position. */
export const labelSelectorSchema = z
  .string('expected a label selector such as "env=prod"')
  .superRefine((text, context) => {
    try {
      parseLabelSelector(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
