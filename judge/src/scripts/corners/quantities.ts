import type { Session } from '../session.ts';

const PODS = '/api/v1/namespaces/judge/pods';

/** Texts that count as canonical, texts that do not, and amounts beyond those of 64 bits. */
const QUANTITIES = [
  ...['1', '+1', '-0', '0.0', '01', '00', '1.5', '1.500', '1.500000', '.5', '1.', '0.500', '00.123', ' 1'],
  ...['1000m', '1500m', '1000u', '1001u', '1n', '1.0000001', '1e0', '0e3', '1e3', '1E3', '1e-3', '1e-4', '5e-4'],
  ...['1e18', '1e19', '1e20', '1E+20', '1e300', '1E300', '1e301', '9e18', '123e18', '1000E', '999999999999999999e3'],
  ...['12345678901234567890', '123456789012345678', '123456789012345678e3'],
  ...['8Gi', '08Gi', '01Gi', '+8Gi', '+9Gi', '1024Mi', '1.5Gi', '.5Gi', '100Ei', '+12345678Ki', '+1234567Gi'],
];

/** Creates and applies Pods with amounts of resources, as texts and as numbers. */
export async function quantities(session: Session): Promise<void> {
  for (const cpu of [...QUANTITIES, 0.1, 1.5, 1e-7]) {
    const pod = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'a', image: 'b', resources: { limits: { cpu } } }] },
    });
    await session.post(`${PODS}?dryRun=All`, pod('posted'));
    await session.patch('apply', `${PODS}/applied?fieldManager=one&dryRun=All`, pod('applied'));
  }
}
