import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { dnsLabelErrors, subdomainErrors } from '../names.ts';

/** Signer of requests of the first version of the API. */
const LEGACY = 'kubernetes.io/legacy-unknown';

/** Validates the name of a signer of certificates (upstream: `ValidateSignerName`). */
export function signerNameErrors(field: string, name: string): FieldError[] {
  if (name === LEGACY) return [invalidField(field, name, 'the legacy signerName is not allowed via this API version')];
  if (name === '') return [requiredField(field, '')];
  const [domain = '', path, ...more] = name.split('/');
  if (path === undefined || more.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidField(field, name, form)];
  }
  const labels = domain.split('.');
  const dots = 'should be a domain with at least two segments separated by dots';
  return [
    ...firstInvalid(field, domain, dnsLabelErrors),
    ...(labels.length < 2 ? [invalidField(field, domain, dots)] : []),
    ...firstInvalid(field, path, subdomainErrors),
  ];
}

/** Errors of later labels would be repetitions. */
function firstInvalid(field: string, text: string, check: (label: string) => string[]): FieldError[] {
  const label = text.split('.').find((each) => check(each).length > 0);
  if (label === undefined) return [];
  return check(label).map((detail) =>
    invalidField(field, text, `validating label ${JSON.stringify(label)}: ${detail}`),
  );
}
