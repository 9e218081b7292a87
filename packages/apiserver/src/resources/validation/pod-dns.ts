import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { regexError, subdomainErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { legacyAddressErrors } from './ip-address.ts';
import { text } from './rules.ts';

const MOST = { nameservers: 3, searches: 32, characters: 2_048 };
const LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SEARCH = `${LABEL}(\\.${LABEL})*`;

/** Validates the DNS settings of a Pod (upstream: `validatePodDNSConfig`). */
export function dnsErrors(path: string, spec: unknown): FieldError[] {
  const field = `${path}.dnsConfig`;
  const config = valueAt(spec, 'dnsConfig');
  const isOwn = valueAt(spec, 'dnsPolicy') === 'None';
  if (config === undefined) {
    return isOwn ? [requiredField(field, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  }
  const servers = listAt(config, 'nameservers').map(scalarText);
  const searches = listAt(config, 'searches').map(scalarText);
  if (isOwn && servers.length === 0) {
    const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [requiredField(`${field}.nameservers`, detail)];
  }
  const limit = (name: string, list: readonly string[], detail: string): FieldError =>
    invalidField(`${field}.${name}`, list, `must not have more than ${detail}`);
  return [
    ...(servers.length > MOST.nameservers ? [limit('nameservers', servers, `${MOST.nameservers} nameservers`)] : []),
    ...servers.flatMap((server, index) => legacyAddressErrors(`${field}.nameservers[${index}]`, server)),
    ...(searches.length > MOST.searches ? [limit('searches', searches, `${MOST.searches} search paths`)] : []),
    ...(searches.join(' ').length > MOST.characters
      ? [limit('searches', searches, `${MOST.characters} characters (including spaces) in the search list`)]
      : []),
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : text([`${field}.searches[${index}]`, search.replace(/\.$/u, '')], searchErrors),
    ),
    ...listAt(config, 'options').flatMap((option, index) =>
      valueAt(option, 'name') ? [] : [requiredField(`${field}.options[${index}]`, 'must not be empty')],
    ),
  ];
}

/** The labels of a search path may have underscores. */
function searchErrors(search: string): string[] {
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  const tooLong = subdomainErrors(search).filter((detail) => / characters$/u.test(detail));
  return new RegExp(`^${SEARCH}$`).test(search) ? tooLong : [...tooLong, regexError(rule, SEARCH, 'example.com')];
}
