import type { Authorizer, Decision as Authorization } from '../access/authorizer.ts';
import type { RequestInfo } from '../access/request-info.ts';
import type { User } from '../access/user.ts';
import { AUTHENTICATED, serviceAccountUser, userOf } from '../access/user.ts';
import type { FunctionTable, Overload } from '../cel/functions.ts';
import { functionTable } from '../cel/functions.ts';
import { kubernetesFunctions } from '../cel/kubernetes.ts';
import type { CelType } from '../cel/types.ts';
import { BOOL, opaque, STRING } from '../cel/types.ts';
import type { Value } from '../cel/values.ts';
import { EvaluationError, noSuchOverload, Opaque } from '../cel/values.ts';
import { dnsLabelErrors, subdomainErrors } from '../resources/names.ts';
import type { Attributes } from './attributes.ts';

const NAMESPACE = 'kubernetes.authorization';
export const AUTHORIZER = opaque(`${NAMESPACE}.Authorizer`);
const PATH_CHECK = opaque(`${NAMESPACE}.PathCheck`);
const GROUP_CHECK = opaque(`${NAMESPACE}.GroupCheck`);
export const RESOURCE_CHECK = opaque(`${NAMESPACE}.ResourceCheck`);
const DECISION = opaque(`${NAMESPACE}.Decision`);

const INVALID_ACCOUNT = 'Invalid service account name';
const INVALID_NAMESPACE = 'Invalid service account namespace';

/** The permissions of a user, as the variable `authorizer` of expressions. */
export class AuthorizerValue extends Opaque {
  readonly typeName = AUTHORIZER.name;
  readonly authorizer: Authorizer;
  readonly user: User;

  constructor(authorizer: Authorizer, user: User) {
    super();
    this.authorizer = authorizer;
    this.user = user;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

/** A check that has been described in part: of a path, a group or a resource. */
class Check extends Opaque {
  readonly typeName: string;
  readonly subject: AuthorizerValue;
  readonly fields: Readonly<Record<string, string>>;

  constructor({ name }: CelType, subject: AuthorizerValue, fields: Readonly<Record<string, string>>) {
    super();
    this.typeName = name;
    this.subject = subject;
    this.fields = fields;
  }

  with(type: CelType, fields: Readonly<Record<string, string>>): Check {
    return new Check(type, this.subject, { ...this.fields, ...fields });
  }

  decide(verb: string): Decision {
    const { path, group = '', resource = '', subresource = '', namespace = '', name = '' } = this.fields;
    const request: RequestInfo =
      path === undefined ? { verb, group, resource, subresource, namespace, name } : { verb, path };
    return new Decision(this.subject.authorizer.decide(this.subject.user, request));
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

class Decision extends Opaque {
  readonly typeName = DECISION.name;
  readonly authorization: Authorization;

  constructor(authorization: Authorization) {
    super();
    this.authorization = authorization;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

/** Returns the check of the resource of a request, as the variable `authorizer.requestResource` of expressions. */
export function requestResource(subject: AuthorizerValue, { type, subresource, namespace, name }: Attributes): Opaque {
  const { group, plural: resource } = type;
  return new Check(RESOURCE_CHECK, subject, { group, resource, subresource, namespace, name });
}

type Call = (target: Value, ...args: string[]) => Value;

function method(id: string, name: string, target: CelType, args: number, result: CelType, call: Call): Overload {
  const params = [target, ...Array.from({ length: args }, () => STRING)];
  return { id, name, member: true, params, result, call: call as (...values: Value[]) => Value };
}

function ofAuthorizer(value: Value): AuthorizerValue {
  if (value instanceof AuthorizerValue) return value;
  throw noSuchOverload();
}

function ofDecision(value: Value): Authorization {
  if (value instanceof Decision) return value.authorization;
  throw noSuchOverload();
}

/** @throws {EvaluationError} if a required text is blank. */
function required(noun: string, text: string): string {
  if (text.trim() === '') throw new EvaluationError(`${noun} must not be empty`);
  return text;
}

function ofCheck(value: Value): Check {
  if (value instanceof Check) return value;
  throw noSuchOverload();
}

function narrowing(field: string): Overload {
  return method(`resourcecheck_${field.toLowerCase()}`, field, RESOURCE_CHECK, 1, RESOURCE_CHECK, (check, text = '') =>
    ofCheck(check).with(RESOURCE_CHECK, { [field]: text }),
  );
}

/** (Upstream: `pkg/cel/library/authz.go`.) Selectors in checks have no effect, as RBAC ignores them. */
const library: readonly Overload[] = [
  method(
    'authorizer_path',
    'path',
    AUTHORIZER,
    1,
    PATH_CHECK,
    (value, path = '') => new Check(PATH_CHECK, ofAuthorizer(value), { path: required('path', path) }),
  ),
  method(
    'authorizer_group',
    'group',
    AUTHORIZER,
    1,
    GROUP_CHECK,
    (value, group = '') => new Check(GROUP_CHECK, ofAuthorizer(value), { group }),
  ),
  method(
    'authorizer_serviceaccount',
    'serviceAccount',
    AUTHORIZER,
    2,
    AUTHORIZER,
    (value, namespace = '', name = '') => {
      if (subdomainErrors(name).length > 0) throw new EvaluationError(INVALID_ACCOUNT);
      if (dnsLabelErrors(namespace).length > 0) throw new EvaluationError(INVALID_NAMESPACE);
      // Upstream: the user has not been authenticated, and is not in that group.
      const { name: user, groups } = userOf(serviceAccountUser(namespace, name), []);
      return new AuthorizerValue(ofAuthorizer(value).authorizer, {
        name: user,
        groups: groups.filter((group) => group !== AUTHENTICATED),
      });
    },
  ),
  method('groupcheck_resource', 'resource', GROUP_CHECK, 1, RESOURCE_CHECK, (check, resource = '') =>
    ofCheck(check).with(RESOURCE_CHECK, { resource: required('resource', resource) }),
  ),
  ...['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'].map(narrowing),
  method('pathcheck_check', 'check', PATH_CHECK, 1, DECISION, (check, verb = '') => ofCheck(check).decide(verb)),
  method('resourcecheck_check', 'check', RESOURCE_CHECK, 1, DECISION, (check, verb = '') =>
    ofCheck(check).decide(verb),
  ),
  method('decision_allowed', 'allowed', DECISION, 0, BOOL, (decision) => ofDecision(decision).allowed),
  method('decision_reason', 'reason', DECISION, 0, STRING, (decision) => ofDecision(decision).reason ?? ''),
  method('decision_errored', 'errored', DECISION, 0, BOOL, () => false),
  method('decision_error', 'error', DECISION, 0, STRING, () => ''),
];

/** The functions of expressions that admit requests. */
export const admissionFunctions: FunctionTable = functionTable([...kubernetesFunctions.values()].flat(), library);
