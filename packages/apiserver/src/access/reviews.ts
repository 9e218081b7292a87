import * as z from 'zod';
import { now } from '../resources/timestamp.ts';
import type { FieldError } from '../status.ts';
import { badRequest, invalid, invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Access } from './access.ts';
import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** Result of a review. */
export interface Reviewed {
  readonly status: object;
  /** Metadata and spec of the response. Default: those of the request. */
  readonly instead?: { readonly metadata: object; readonly spec?: object };
}

/** Evaluates a review. @throws {StatusError} 400 or 422 if the review is incomplete. */
export type Review = (asked: ApiObject, context: ReviewContext) => Reviewed;

export interface ReviewContext {
  readonly access: Access;
  /** User who sends the review. */
  readonly user: User;
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const attributes = z.object({
  resourceAttributes: z
    .object({ verb: text, group: text, resource: text, subresource: text, namespace: text, name: text })
    .nullish(),
  nonResourceAttributes: z.object({ verb: text, path: text }).nullish(),
});

const subject = attributes.extend({
  user: text,
  groups: z.array(z.string()).nullish(),
});

const tokenSpec = z.object({ token: text, audiences: z.array(z.string()).nullish() });
const rulesSpec = z.object({ namespace: text });

export const reviewToken: Review = ({ spec }, { access }) => {
  const { token, audiences } = read(tokenSpec, spec);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const { user, error, ...accepted } = access.authenticate(token, audiences?.length ? audiences : undefined);
  if (!user) return { status: { user: {}, error } };
  return { status: { authenticated: true, user: userInfo(user), ...accepted } };
};

export const reviewSelf: Review = (_asked, { user }) => ({
  status: { userInfo: userInfo(user) },
  instead: { metadata: { creationTimestamp: now() } },
});

export const reviewAccess: Review = ({ spec }, { access }) => {
  const { user, groups, ...asked } = read(subject, spec);
  const errors = [...attributeErrors(asked), ...subjectErrors(user, groups)];
  if (errors.length > 0) throw refused(errors);
  return { status: access.authorizer.decide({ name: user, groups: groups ?? [] }, requestOf(asked)) };
};

export const reviewLocalAccess: Review = (review, context) => {
  const { user, groups, ...asked } = read(subject, review['spec']);
  const errors = [...attributeErrors(asked), ...subjectErrors(user, groups)];
  const { namespace = '' } = asked.resourceAttributes ?? {};
  const { namespace: ofReview } = review.metadata;
  if (asked.resourceAttributes && namespace !== ofReview) {
    errors.push(invalidField('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'));
  }
  if (asked.nonResourceAttributes) {
    const value = goAttributes(asked.nonResourceAttributes);
    errors.push(invalidField('spec.nonResourceAttributes', value, 'disallowed on this kind of request'));
  }
  if (errors.length > 0) throw refused(errors);
  return reviewAccess(review, context);
};

export const reviewOwnAccess: Review = ({ spec }, { access, user }) => {
  const asked = read(attributes, spec);
  const errors = attributeErrors(asked);
  if (errors.length > 0) throw refused(errors);
  return { status: access.authorizer.decide(user, requestOf(asked)) };
};

export const reviewOwnRules: Review = ({ spec }, { access, user }) => {
  const { namespace } = read(rulesSpec, spec);
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = [...access.authorizer.rulesFor(user, namespace)];
  return {
    instead: { metadata: {}, spec: {} },
    status: {
      resourceRules: rules.filter(({ resources }) => resources),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs),
      incomplete: false,
    },
  };
};

function userInfo({ name, uid, groups, extra }: User): object {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) };
}

type Attributes = z.infer<typeof attributes>;

/** Returns the errors of upstream's `ValidateSubjectAccessReviewSpec`. */
function attributeErrors({ resourceAttributes, nonResourceAttributes }: Attributes): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalidField('spec.nonResourceAttributes', goAttributes(nonResourceAttributes), detail)];
  }
  if (resourceAttributes ?? nonResourceAttributes) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidField('spec.resourceAttributes', null, detail)];
}

function subjectErrors(user: string, groups: readonly string[] | null | undefined): FieldError[] {
  if (user !== '' || groups?.length) return [];
  return [invalidField('spec.user', user, 'at least one of user or group must be specified')];
}

/** Messages contain the Go struct. */
function goAttributes({ path, verb }: { readonly path: string; readonly verb: string }): object {
  return { Path: path, Verb: verb };
}

/** Messages about reviews name no kind. */
function refused(errors: readonly FieldError[]): Error {
  return invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function requestOf({ resourceAttributes, nonResourceAttributes }: Attributes): RequestInfo {
  return resourceAttributes ?? nonResourceAttributes ?? { verb: '', path: '' };
}

function read<T>(schema: z.ZodType<T>, spec: unknown): T {
  const parsed = schema.safeParse(spec ?? {});
  if (!parsed.success) throw badRequest(`invalid spec: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
