import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { requestFault } from '../certificate-request.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { isEmpty } from './rules.ts';
import { signerNameErrors } from './signer-name.ts';

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

/** Conditions that are only ever true, and that no update removes. */
const FINAL = ['Approved', 'Denied', 'Failed'];
const SHORTEST = 600;

/** Validates a CertificateSigningRequest (upstream: `pkg/apis/certificates/validation`). */
export function certificateRequestErrors(change: Change): FieldError[] {
  const { object, previous } = change;
  const errors = [...specErrors(object['spec']), ...conditionErrors(object, previous), ...certificateErrors(object)];
  return previous ? [...errors, ...transitionErrors(change, previous)] : errors;
}

function specErrors(spec: unknown): FieldError[] {
  const request = scalarText(valueAt(spec, 'request'));
  const fault = requestFault(Buffer.from(request, 'base64'));
  const usages = listAt(spec, 'usages').map(scalarText);
  const seconds = valueAt(spec, 'expirationSeconds');
  const short = `may not specify a duration less than ${SHORTEST} seconds (10 minutes)`;
  return [
    ...(fault === undefined ? [] : [invalidField('spec.request', request || null, fault)]),
    ...(usages.length === 0 ? [requiredField('spec.usages', '')] : []),
    ...usages.flatMap((usage, index) =>
      USAGES.includes(usage) ? [] : [unsupportedField(`spec.usages[${index}]`, usage, USAGES)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) < index ? [duplicateField(`spec.usages[${index}]`, usage)] : [],
    ),
    ...signerNameErrors('spec.signerName', scalarText(valueAt(spec, 'signerName'))),
    ...(typeof seconds === 'number' && seconds < SHORTEST
      ? [invalidField('spec.expirationSeconds', seconds, short)]
      : []),
  ];
}

const typesOf = (object: ApiObject | undefined): string[] =>
  listAt(object, 'status.conditions').map((condition) => scalarText(valueAt(condition, 'type')));

function conditionErrors(object: ApiObject, previous: ApiObject | undefined): FieldError[] {
  const path = 'status.conditions';
  const before = typesOf(previous);
  const types = typesOf(object);
  // Conditions that were accepted once stay valid.
  const mayBoth = before.includes('Approved') && before.includes('Denied');
  const mayRepeat = new Set(before).size < before.length;
  const seen = new Set<string>();
  return listAt(object, path).flatMap((condition, index) => {
    const type = types[index] ?? '';
    const field = `${path}[${index}]`;
    const status = valueAt(condition, 'status');
    const allowed = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    const errors: FieldError[] = [];
    if (type === '' && !before.includes('')) errors.push(requiredField(`${field}.type`, ''));
    if (isEmpty(status)) errors.push(requiredField(`${field}.status`, ''));
    else if (!allowed.includes(scalarText(status))) errors.push(unsupportedField(`${field}.status`, status, allowed));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (other !== undefined && seen.has(other) && !mayBoth) {
      errors.push(invalidField(path, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type) && !mayRepeat) errors.push(duplicateField(`${field}.type`, type));
    seen.add(type);
    return errors;
  });
}

const BLOCK = /-----BEGIN (?<label>[^-]+)-----(?<body>[^-]*)-----END [^-]+-----/gu;

function certificateErrors(object: ApiObject): FieldError[] {
  const encoded = scalarText(valueAt(object, 'status.certificate'));
  if (encoded === '') return [];
  const why = certificateFault(Buffer.from(encoded, 'base64').toString('latin1'));
  return why === undefined ? [] : [invalidField('status.certificate', '<certificate data>', why)];
}

function certificateFault(pem: string): string | undefined {
  const blocks = [...pem.matchAll(BLOCK)];
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { groups, 0: text } of blocks) {
    const { label = '', body = '' } = groups ?? {};
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(text);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return undefined;
}

/** Returns the errors in changes. A subresource may change what the others may not. */
function transitionErrors({ object, subresource }: Change, previous: ApiObject): FieldError[] {
  const path = 'status.conditions';
  const ofType = (from: ApiObject, type: string): unknown[] =>
    listAt(from, path).filter((condition) => valueAt(condition, 'type') === type);
  const errors = FINAL.flatMap((type) =>
    ofType(object, type).length < ofType(previous, type).length
      ? [forbiddenField(path, `updates may not remove a condition of type ${JSON.stringify(type)}`)]
      : [],
  );
  for (const type of subresource === 'approval' ? [] : ['Approved', 'Denied']) {
    const [before, after] = [ofType(previous, type), ofType(object, type)];
    if (after.length < before.length || isDeepStrictEqual(before, after)) continue;
    const verb = after.length > before.length ? 'add' : 'modify';
    errors.push(forbiddenField(path, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`));
  }
  const [before, after] = [previous, object].map((each) => scalarText(valueAt(each, 'status.certificate')));
  if (before === after) return errors;
  const field = 'status.certificate';
  if (subresource !== 'status') return [...errors, forbiddenField(field, 'updates may not set certificate content')];
  if (before === '') return errors;
  return [...errors, forbiddenField(field, 'updates may not modify existing certificate content')];
}
