import { X509Certificate } from 'node:crypto';
import { dns1035LabelErrors, subdomainErrors } from '../resources/names.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../status.ts';
import type { ConversionClientConfig, DefinitionConversion } from './definition.ts';
import type { GoUrl } from './go-url.ts';
import { GoUrlError, parseGoUrl } from './go-url.ts';

const REVIEW_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
const FORM = '; desired format: https://host[/path]';

export interface ConversionChecks {
  /** Whether a version of ConversionReview that the server knows is required. */
  readonly requireKnownVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
}

export function conversionErrors(
  { strategy = '', webhook }: DefinitionConversion,
  path: string,
  { requireKnownVersion, allowInvalidCaBundle }: ConversionChecks,
): FieldError[] {
  const errors: FieldError[] = [];
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  if (strategy === '') errors.push(requiredField(`${path}.strategy`, ''));
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(unsupportedField(`${path}.strategy`, strategy, ['None', 'Webhook']));
  }
  const configPath = `${path}.webhookClientConfig`;
  const versionsPath = `${path}.conversionReviewVersions`;
  if (strategy !== 'Webhook') {
    const rule = 'should not be set when strategy is not set to Webhook';
    if (clientConfig) errors.push(forbiddenField(configPath, rule));
    if (conversionReviewVersions.length > 0) errors.push(forbiddenField(versionsPath, rule));
    return errors;
  }
  if (clientConfig) {
    errors.push(...clientConfigErrors(clientConfig, configPath));
    if (clientConfig.caBundle && !allowInvalidCaBundle) {
      errors.push(...caBundleErrors(clientConfig.caBundle, `${configPath}.caBundle`));
    }
  } else {
    errors.push(requiredField(configPath, 'required when strategy is set to Webhook'));
  }
  return [...errors, ...reviewVersionErrors(conversionReviewVersions, versionsPath, requireKnownVersion)];
}

export function clientConfigErrors({ url, service }: ConversionClientConfig, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return urlErrors(url, `${path}.url`);
  const { name = '', namespace = '', path: urlPath, port = 443 } = service ?? {};
  // The real server passes the name as the namespace and the namespace as the name.
  const errors: FieldError[] = [];
  if (namespace === '') errors.push(requiredField(`${path}.service.name`, ''));
  if (name === '') errors.push(requiredField(`${path}.service.namespace`, ''));
  if (port < 1 || port > 65_535) {
    const detail = 'port is not valid: must be between 1 and 65535, inclusive';
    errors.push(invalidField(`${path}.service.port`, port, detail));
  }
  return urlPath === undefined ? errors : [...errors, ...urlPathErrors(urlPath, `${path}.service.path`)];
}

/** Validates the URL of a webhook (upstream: `ValidateWebhookURL`). */
function urlErrors(text: string, path: string): FieldError[] {
  try {
    return urlPartErrors(parseGoUrl(text), path);
  } catch (error) {
    if (error instanceof GoUrlError) return [requiredField(path, `url must be a valid URL: ${error.message}${FORM}`)];
    throw error;
  }
}

function urlPartErrors({ scheme, user, host, query, fragment }: GoUrl, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(invalidField(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalidField(path, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalidField(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidField(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidField(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function urlPathErrors(urlPath: string, path: string): FieldError[] {
  if (urlPath === '/' || urlPath === '') return [];
  if (urlPath === '//') return [invalidField(path, urlPath, 'segment[0] may not be empty')];
  const errors: FieldError[] = [];
  if (!urlPath.startsWith('/')) errors.push(invalidField(path, urlPath, "must start with a '/'"));
  urlPath
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((segment, index) => {
      if (segment === '') errors.push(invalidField(path, urlPath, `segment[${index}] may not be empty`));
      else {
        const details = subdomainErrors(segment);
        errors.push(...details.map((detail) => invalidField(path, urlPath, `segment[${index}]: ${detail}`)));
      }
    });
  return errors;
}

/** Returns an error if a bundle does not start with a certificate. */
export function caBundleErrors(caBundle: string, path: string): FieldError[] {
  try {
    new X509Certificate(Buffer.from(caBundle, 'base64'));
    return [];
  } catch {
    const detail = 'unable to load root certificates: unable to parse bytes as PEM block';
    return [
      { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${JSON.stringify(caBundle)}: ${detail}` },
    ];
  }
}

function reviewVersionErrors(versions: readonly string[], path: string, requireKnown: boolean): FieldError[] {
  if (versions.length === 0) return [requiredField(path, '')];
  const errors: FieldError[] = [];
  versions.forEach((version, index) => {
    if (versions.indexOf(version) < index) {
      errors.push(invalidField(`${path}[${index}]`, version, 'duplicate version'));
      return;
    }
    errors.push(...dns1035LabelErrors(version).map((detail) => invalidField(`${path}[${index}]`, version, detail)));
  });
  if (requireKnown && !versions.some((version) => REVIEW_VERSIONS.has(version))) {
    errors.push(invalidField(path, versions, 'must include at least one of v1, v1beta1'));
  }
  return errors;
}
