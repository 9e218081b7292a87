import type { Endpoint } from '../server/endpoint.ts';
import type { AdmissionHandler } from './admission-handler.ts';
import { admissionReview } from './admission-response.ts';
import { readAdmissionReview } from './read-admission-review.ts';
import { reviewAdmission } from './review-admission.ts';

/** Returns the endpoint of a handler. */
export function admissionEndpoint(handler: AdmissionHandler, maxBody: number): Endpoint {
  return {
    path: handler.path,
    maxBody,
    read: (body) => {
      const request = readAdmissionReview(body);
      const { uid } = request;
      return {
        webhook: handler.path,
        answer: async (context) => {
          const response = await reviewAdmission(handler, request, { ...context, log: context.log.child({ uid }) });
          return admissionReview(request, response);
        },
      };
    },
  };
}
