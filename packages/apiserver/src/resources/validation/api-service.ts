import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, dns1035Errors, required } from './rules.ts';

/** Validates an APIService (upstream: `ValidateAPIService` of kube-aggregator). */
export function apiServiceErrors({ object }: Change): FieldError[] {
  const spec = object['spec'];
  const [group, version] = ['group', 'version'].map((field) => scalarText(valueAt(spec, field)));
  const { name } = object.metadata;
  const wanted = `${version}.${group}`;
  const isNamed = name === wanted || (group === '' && name === 'v1.');
  const noGroup = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...(isNamed
      ? []
      : [invalidField('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`)]),
    ...(group === '' && version !== 'v1' ? [requiredField('spec.group', noGroup)] : []),
    ...dns1035Errors(version ?? '').map((detail) => invalidField('spec.version', version, detail)),
    ...priorityErrors(at(spec, 'spec', 'groupPriorityMinimum'), 20_000),
    ...priorityErrors(at(spec, 'spec', 'versionPriority'), 1_000),
    ...backendErrors(spec),
  ];
}

function priorityErrors([field, value]: readonly [string, unknown], limit: number): FieldError[] {
  const priority = Number(value ?? 0);
  if (priority > 0 && priority <= limit) return [];
  return [invalidField(field, priority, `must be positive and less than ${limit}`)];
}

function backendErrors(spec: unknown): FieldError[] {
  const service = valueAt(spec, 'service');
  const bundle = Buffer.from(scalarText(valueAt(spec, 'caBundle')), 'base64');
  const skips = valueAt(spec, 'insecureSkipTLSVerify') === true;
  const insecure = (detail: string): FieldError => invalidField('spec.insecureSkipTLSVerify', true, detail);
  if (service === undefined) {
    const own = 'local APIServices may not have';
    return [
      ...(bundle.length > 0 ? [invalidField('spec.caBundle', `${bundle.length} bytes`, `${own} a caBundle`)] : []),
      ...(skips ? [insecure(`${own} insecureSkipTLSVerify`)] : []),
    ];
  }
  const port = Number(valueAt(service, 'port') ?? 443);
  const range = 'port is not valid: must be between 1 and 65535, inclusive';
  return [
    ...required(at(service, 'spec.service', 'namespace')),
    ...required(at(service, 'spec.service', 'name')),
    ...(port >= 1 && port <= 65_535 ? [] : [invalidField('spec.service.port', port, range)]),
    ...(skips && bundle.length > 0 ? [insecure('may not be true if caBundle is present')] : []),
  ];
}
