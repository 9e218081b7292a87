import {
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
  reviewSelf,
  reviewToken,
} from '../../access/reviews.ts';
import type { KindRow } from '../kind-row.ts';

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';

/** Reviews of access: they get a response and are never stored. */
export const reviewKinds: readonly KindRow[] = [
  { apiVersion: AUTHENTICATION, kind: 'TokenReview', plural: 'tokenreviews', scope: 'Cluster', review: reviewToken },
  {
    apiVersion: AUTHENTICATION,
    kind: 'SelfSubjectReview',
    plural: 'selfsubjectreviews',
    scope: 'Cluster',
    review: reviewSelf,
  },
  {
    apiVersion: AUTHORIZATION,
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
    scope: 'Cluster',
    review: reviewAccess,
  },
  {
    apiVersion: AUTHORIZATION,
    kind: 'LocalSubjectAccessReview',
    plural: 'localsubjectaccessreviews',
    review: reviewLocalAccess,
  },
  {
    apiVersion: AUTHORIZATION,
    kind: 'SelfSubjectAccessReview',
    plural: 'selfsubjectaccessreviews',
    scope: 'Cluster',
    review: reviewOwnAccess,
  },
  {
    apiVersion: AUTHORIZATION,
    kind: 'SelfSubjectRulesReview',
    plural: 'selfsubjectrulesreviews',
    scope: 'Cluster',
    review: reviewOwnRules,
  },
];
