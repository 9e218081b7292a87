import type { Step } from '../session.ts';
import { collection, get, patch, post } from './step.ts';

/** A request of a node, in PEM, in base64, and one whose signature was changed. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIc01JR1NBZ0VBTURBeEZ6QVZCZ05WQkFNTURuTjVjM1JsYlRwdWIyUmxPbTR4TVJVd0V3WURWUVFLREF4egplWE4wWlcwNmJtOWtaWE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJoOEZmVHo1K0tUczNHCmRxSzhMQmVsME95QVhkODlGa2ZDRFpNaTdFS0FSNUI0QnZLdHVSRWpjQjJONnpIVzZYZHFFOGtxb2N0QlloRjEKS1hGRGZvZTdvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdSZ0loQUp5ZG1HejJXSzlGWUxGRUdXOGhtVGpLN2tpQQpoc2R6MGJWU3o1bEVWTk45QWlFQWl5MFlFUkl0cUVKeit1OGd6dm9jSzRwb2hjQVQwVXN6UFRhVFZ1azhCSlE9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';
const changed =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIc01JR1NBZ0VBTURBeEZ6QVZCZ05WQkFNTURuTjVjM1JsYlRwdWIyUmxPbTR4TVJVd0V3WURWUVFLREF4emVYTjBaVzA2Ym05awpaWE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJoOEZmVHo1K0tUczNHZHFLOExCZWwwT3lBWGQ4OUZrZkNEWk1pCjdFS0FSNUI0QnZLdHVSRWpjQjJONnpIVzZYZHFFOGtxb2N0QlloRjFLWEZEZm9lN29BQXdDZ1lJS29aSXpqMEVBd0lEU1FBd1JnSWgKQUp5ZG1HejJXSzlGWUxGRUdXOGhtVGpLN2tpQWhzZHowYlZTejVsRVZOTjlBaUVBaXkwWUVSSXRxRUp6K3U4Z3p2b2NLNHBvaGNBVAowVXN6UFRhVFZ1azhCSlU9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

/** Any certificate, in PEM, in base64. */
const certificate =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJiakNDQVJPZ0F3SUJBZ0lVSUtma2w2eUtrWWh3ZVYxVk1QYnhWVWdiQ0ZVd0NnWUlLb1pJemowRUF3SXcKRERFS01BZ0dBMVVFQXd3QmVEQWVGdzB5TmpFeE1qWXhPVEUzTWpsYUZ3MHpOakV4TWpNeE9URTNNamxhTUF3eApDakFJQmdOVkJBTU1BWGd3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJoOEZmVHo1K0tUczNHCmRxSzhMQmVsME95QVhkODlGa2ZDRFpNaTdFS0FSNUI0QnZLdHVSRWpjQjJONnpIVzZYZHFFOGtxb2N0QlloRjEKS1hGRGZvZTdvMU13VVRBZEJnTlZIUTRFRmdRVUZBbmkwQTBBQUl3M0g1Nm9DV1pLZEEvcGxETXdId1lEVlIwagpCQmd3Rm9BVUZBbmkwQTBBQUl3M0g1Nm9DV1pLZEEvcGxETXdEd1lEVlIwVEFRSC9CQVV3QXdFQi96QUtCZ2dxCmhrak9QUVFEQWdOSkFEQkdBaUVBMGdkMzNnNUVDakZtVkt0QloxY0JuS2pSRTB0M2tzL0l3RGhERlh0ZlB2NEMKSVFDQVB5aE1MVWFHaDRuV0hYQmxKZzVhdVZzQnNveWdqL3FHbU9zbkxXNDFBUT09Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K';

const spec = { request, signerName: 'example.com/signer', usages: ['digital signature', 'client auth'] };
const create = (name: string, fields: object): Step =>
  post('CertificateSigningRequest', name, { spec: { ...spec, ...fields } });

const change = (part: string, name: string, status: object): Step => ({
  method: 'PATCH',
  path: `${collection('CertificateSigningRequest')}/${name}/${part}`,
  body: { status },
  type: 'merge',
});

const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' };
const denied = { ...approved, type: 'Denied' };
const failed = { type: 'Failed', status: 'True', reason: 'Test' };

const text = (pem: string): string => Buffer.from(pem).toString('base64');

/** Requests for certificates: validation, and what may change where. */
export const certificates: readonly Step[] = [
  create('signed', { expirationSeconds: 600, username: 'other', groups: ['other'] }),
  create('changed-request', { request: changed }),
  create('no-pem', { request: text('request') }),
  create('other-pem', { request: certificate }),
  create('no-request', { request: undefined }),
  create('odd-usages', { usages: ['client auth', 'anything', 'client auth'] }),
  create('no-usages', { usages: [] }),
  create('short', { expirationSeconds: 599 }),
  ...['', 'kubernetes.io/legacy-unknown', 'signer', 'a/b/c', 'local/a', 'A.b/c', 'a.b/c_d', 'a.b/'].map(
    (signerName, index) => create(`signer-${index}`, { signerName }),
  ),
  patch('CertificateSigningRequest', 'signed', {
    metadata: { labels: { a: 'b' } },
    spec: { usages: ['any'] },
    status: { certificate },
  }),
  change('status', 'signed', { conditions: [approved] }),
  change('approval', 'signed', { conditions: [{ type: 'Approved', status: 'False' }] }),
  change('approval', 'signed', {
    conditions: [{ status: 'True' }, { type: 'Other' }, { type: 'Other', status: 'Maybe' }],
  }),
  change('approval', 'signed', { conditions: [approved, denied] }),
  change('approval', 'signed', { conditions: [approved], certificate }),
  change('approval', 'signed', { conditions: [] }),
  change('status', 'signed', { conditions: [{ ...approved, message: 'changed' }, failed] }),
  change('status', 'signed', { conditions: [] }),
  change('status', 'signed', { certificate: text('none') }),
  change('status', 'signed', { certificate: request }),
  change('status', 'signed', { certificate }),
  change('status', 'signed', { certificate: text(`comment\n${Buffer.from(certificate, 'base64').toString()}`) }),
  change('approval', 'signed', { certificate: null }),
  get('CertificateSigningRequest', 'signed'),
];
