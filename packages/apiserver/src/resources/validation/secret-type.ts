import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import type { Change } from '../resource-type.ts';
import { scalarText } from '../resource-type.ts';

const KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};
const ACCOUNT = 'kubernetes.io/service-account.name';
const REDACTED = '<secret contents redacted>';

/** Validates what the type of a Secret requires (upstream: `ValidateSecret`). */
export function secretTypeErrors({ object, warn }: Change): FieldError[] {
  const type = scalarText(object['type']);
  const data = (object['data'] ?? {}) as Record<string, unknown>;
  if (type === 'kubernetes.io/service-account-token' && !object.metadata.annotations?.[ACCOUNT]) {
    return [requiredField(`metadata.annotations[${ACCOUNT}]`, '')];
  }
  if (type === 'kubernetes.io/basic-auth') {
    const isMissing = ['username', 'password'].every((key) => data[key] === undefined);
    return isMissing ? [requiredField('data[username]', ''), requiredField('data[password]', '')] : [];
  }
  const errors = (KEYS[type] ?? []).flatMap((key) => {
    const field = `data[${key}]`;
    const value = scalarText(data[key]);
    if (data[key] === undefined || (key === 'ssh-privatekey' && value === '')) return [requiredField(field, '')];
    return key.startsWith('.docker') ? jsonErrors(field, Buffer.from(value, 'base64').toString()) : [];
  });
  if (type === 'kubernetes.io/tls' && errors.length === 0 && !hasCertificate(data['tls.crt'])) {
    warn?.('tls: failed to find any PEM data in certificate input');
  }
  return errors;
}

function hasCertificate(base64: unknown): boolean {
  return /-----BEGIN [^-]+-----[\s\S]*-----END [^-]+-----/u.test(Buffer.from(scalarText(base64), 'base64').toString());
}

/** Kinds of JSON values, as Go names them. */
const KINDS: Readonly<Record<string, string>> = { number: 'number', string: 'string', boolean: 'bool' };

function jsonErrors(field: string, text: string): FieldError[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [invalidField(field, REDACTED, syntaxError(text.trimStart()))];
  }
  const kind = Array.isArray(value) ? 'array' : KINDS[typeof value];
  if (kind === undefined) return [];
  const detail = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  return [invalidField(field, REDACTED, detail)];
}

/** Returns the error of Go's parser about a text that is not JSON. */
function syntaxError(text: string): string {
  if (text === '') return 'unexpected end of JSON input';
  const [number = ''] = /^-?(?:0|[1-9]\d*)(?:\.\d+)?/u.exec(text) ?? [];
  const shown = (character: string): string => `invalid character '${JSON.stringify(character).slice(1, -1)}'`;
  if (number === '') return `${shown(text.charAt(0))} looking for beginning of value`;
  return `${shown(text.charAt(number.length))} after top-level value`;
}
