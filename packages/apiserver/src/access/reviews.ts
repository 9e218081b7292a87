import * as z from 'zod';
import { badRequest } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Access } from './access.ts';
import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** Returns the status of a review. @throws {StatusError} 400 if the review is incomplete. */
export type Review = (asked: ApiObject, context: ReviewContext) => object;

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

const tokenSpec = z.object({ token: z.string(), audiences: z.array(z.string()).nullish() });
const rulesSpec = z.object({ namespace: z.string() });

export const reviewToken: Review = ({ spec }, { access }) => {
  const { token, audiences } = read(tokenSpec, spec);
  const user = access.userOfToken(token);
  if (!user) return { authenticated: false, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfo(user), ...(audiences && { audiences }) };
};

export const reviewSelf: Review = (_asked, { user }) => ({ userInfo: userInfo(user) });

export const reviewAccess: Review = ({ spec }, { access }) => {
  const { user, groups, ...asked } = read(subject, spec);
  if (user === '' && !groups?.length) throw badRequest('spec.user: at least one of user or group must be specified');
  return { allowed: access.authorizer.allows({ name: user, groups: groups ?? [] }, requestOf(asked)) };
};

export const reviewOwnAccess: Review = ({ spec }, { access, user }) => ({
  allowed: access.authorizer.allows(user, requestOf(read(attributes, spec))),
});

export const reviewOwnRules: Review = ({ spec }, { access, user }) => {
  const { namespace } = read(rulesSpec, spec);
  const rules = [...access.authorizer.rulesFor(user, namespace)];
  return {
    resourceRules: rules.filter(({ resources }) => resources),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs),
    incomplete: false,
  };
};

function userInfo({ name, uid, groups, extra }: User): object {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) };
}

function requestOf({ resourceAttributes, nonResourceAttributes }: z.infer<typeof attributes>): RequestInfo {
  const asked = resourceAttributes ?? nonResourceAttributes;
  if (!asked) {
    throw badRequest('spec: exactly one of resourceAttributes or nonResourceAttributes must be specified');
  }
  return asked;
}

function read<T>(schema: z.ZodType<T>, spec: unknown): T {
  const parsed = schema.safeParse(spec ?? {});
  if (!parsed.success) throw badRequest(`invalid spec: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
