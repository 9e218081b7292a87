import type { DeepReadonly, ObjectKey, Permission } from '@mcr/core';
import { Secret } from '@mcr/core';
import { objectKeyText } from '@mcr/core/provider';
import { certificatesIn } from '../ca-bundle.ts';
import type { IssuedCertificate } from './issued-certificate.ts';
import { damageOf } from './issued-certificate.ts';
import type { RotationState } from './rotation.ts';

/** Type of the Secret. API servers never change the type of a Secret, so that it marks those of this package. */
export const SECRET_TYPE = 'mcr.dev/webhook-certificate';
/** Largest value of the Secret, in characters of base64. */
const MAX_VALUE = 64 * 1024;

/** Keys of the data. A certificate has three; those of the next one are prefixed. */
const FIELDS = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const;
const NEXT = 'next-';
const PREVIOUS_CA = 'previous-ca.crt';
const SERVE_AFTER = 'serve-after';
const DROP_AFTER = 'drop-after';

/** Returns the permissions for the Secret. */
export function secretPermissions({ namespace = '', name }: ObjectKey): Permission[] {
  const secret = { kind: Secret, namespaces: [namespace], in: 'local' } as const;
  return [
    { ...secret, names: [name], verbs: ['get', 'update'] },
    { ...secret, verbs: ['create'] },
  ];
}

/** Returns the data of the Secret. */
export function secretData(state: RotationState): Record<string, string> {
  const data = {
    ...certificateData(state.current, ''),
    ...(state.phase === 'trusting' && {
      ...certificateData(state.next, NEXT),
      [SERVE_AFTER]: new Date(state.serveAfter).toISOString(),
    }),
    ...(state.phase === 'replacing' && {
      [PREVIOUS_CA]: state.previousCa,
      [DROP_AFTER]: new Date(state.dropAfter).toISOString(),
    }),
  };
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

function certificateData(issued: IssuedCertificate, prefix: string): Record<string, string> {
  const { ca, cert, key } = FIELDS;
  return {
    [`${prefix}${ca}`]: issued.ca,
    [`${prefix}${cert}`]: issued.cert,
    [`${prefix}${key}`]: issued.key,
  };
}

/**
 * Reads the state from a Secret.
 *
 * @throws {Error} that names the field, if the Secret belongs to someone else, or is damaged. The message has no values.
 */
export function readSecret(secret: DeepReadonly<Secret>): RotationState {
  const fields = new SecretFields(secret);
  const current = fields.issued('');
  if (fields.has(SERVE_AFTER)) {
    return { phase: 'trusting', current, next: fields.issued(NEXT), serveAfter: fields.instant(SERVE_AFTER) };
  }
  if (fields.has(DROP_AFTER)) {
    const dropAfter = fields.instant(DROP_AFTER);
    return { phase: 'replacing', current, previousCa: fields.certificates(PREVIOUS_CA), dropAfter };
  }
  return { phase: 'steady', current };
}

/** Reads the fields of a Secret. Its methods throw an {@link Error} that names the field. */
class SecretFields {
  readonly #name: string;
  readonly #data: Readonly<Record<string, unknown>>;

  constructor({ metadata, type, data = {} }: DeepReadonly<Secret>) {
    this.#name = `secret ${objectKeyText(metadata)}`;
    this.#data = data;
    if (type === SECRET_TYPE) return;
    throw new Error(
      `${this.#name}: type: expected ${SECRET_TYPE}, found ${type}: it belongs to something else, choose another name for the certificate`,
    );
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#data, field);
  }

  issued(prefix: string): IssuedCertificate {
    const names = { ca: prefix + FIELDS.ca, cert: prefix + FIELDS.cert, key: prefix + FIELDS.key };
    const issued = {
      ca: this.#text(names.ca),
      cert: this.#text(names.cert),
      key: this.#text(names.key),
    };
    const damage = damageOf(issued);
    if (damage) this.#refuse(names[damage.field], damage.why);
    return issued;
  }

  certificates(field: string): string {
    const text = this.#text(field);
    try {
      certificatesIn(text);
    } catch (error) {
      this.#refuse(field, (error as Error).message);
    }
    return text;
  }

  instant(field: string): number {
    const instant = Date.parse(this.#text(field));
    if (Number.isNaN(instant)) this.#refuse(field, 'expected a time such as 2026-01-02T15:04:05Z');
    return instant;
  }

  #text(field: string): string {
    const value = this.#data[field];
    if (typeof value !== 'string' || value === '') this.#refuse(field, 'it is missing');
    if (value.length > MAX_VALUE) this.#refuse(field, `expected at most ${MAX_VALUE} characters`);
    return Buffer.from(value, 'base64').toString('utf8');
  }

  #refuse(field: string, why: string): never {
    throw new Error(
      `${this.#name}: data["${field}"]: ${why}: restore it, or delete the Secret to get new certificates at once`,
    );
  }
}

/** Returns the Secret of a state, for creation. */
export function newSecret({ namespace, name }: ObjectKey, state: RotationState) {
  return {
    metadata: { namespace: namespace ?? '', name, labels: { 'app.kubernetes.io/managed-by': 'mcr-webhooks' } },
    type: SECRET_TYPE,
    data: secretData(state),
  };
}
