import { describe, expect, it } from '@jest/globals';
import { decodeProtobuf } from './decode.ts';

/* Request bodies of kubectl v1.33. */
const decode = (base64: string): unknown => decodeProtobuf(Buffer.from(base64, 'base64'));

describe('protobuf bodies', () => {
  it('K-23: reads what `kubectl create configmap a --from-literal=x=1 --from-literal=y=` sends', () => {
    expect(decode('azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiIKEQoBYRIAGgAiACoAMgA4AEIAEgYKAXgSATESBQoBeRIAGgAiAA==')).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      data: { x: '1', y: '' },
    });
  });

  it('K-23: reads what `kubectl create secret generic s --from-literal=p=q` sends', () => {
    expect(decode('azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAXASAXEaABoAIgA=')).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's' },
      data: { p: 'cQ==' },
    });
  });

  it('K-23: reads what `kubectl create deployment d --image=nginx --port=80 --replicas=0 -- sh -c x` sends', () => {
    const body =
      'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErsBChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQSjQEIABIKCggKA2FwcBIBZBp1ChoKABIAGgAiACoAMgA4AEIAWggKA2FwcBIBZBJXEjkKBW5naW54EgVuZ2lueBoCc2gaAi1jGgF4KgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=';
    const container = { name: 'nginx', image: 'nginx', command: ['sh', '-c', 'x'], ports: [{ containerPort: 80 }] };
    expect(decode(body)).toMatchObject({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'd', labels: { app: 'd' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [container] } },
      },
    });
  });

  it('K-23: refuses unsupported fields and kinds with 415, so that no data is dropped', () => {
    const unknownKind = Buffer.concat([Buffer.from('k8s\0'), Buffer.from([10, 4, 18, 2, 72, 105])]);
    const unknownField = Buffer.from('azhzAAoPCgJ2MRIJQ29uZmlnTWFwEgB6AXg=', 'base64');
    const message = Buffer.concat([
      Buffer.from('k8s\0'),
      Buffer.from([10, 11, 18, 9]),
      Buffer.from('ConfigMap'),
      Buffer.from([18, 3, 122, 1, 120]),
    ]);
    expect(() => decodeProtobuf(unknownKind)).toThrow(/of kind "Hi"/);
    expect(() => decodeProtobuf(message)).toThrow(/field 15 in ConfigMap/);
    expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow(/does not begin/);
    expect(() => decodeProtobuf(unknownField.subarray(0, -1))).toThrow(/longer than its message/);
  });
});
