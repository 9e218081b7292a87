import { describe, expect, it } from '@jest/globals';
import { decodeBody } from './body.ts';
import { encodeObject } from './envelope.ts';
import { messages } from './messages.ts';

/** Bodies of requests of kubectl v1.33. */
const CREATE_CONFIG_MAP = 'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiIKEQoBYRIAGgAiACoAMgA4AEIAEgYKAXgSATESBQoBeRIAGgAiAA==';
const CREATE_SECRET = 'azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAXASAXEaABoAIgA=';
const CREATE_DEPLOYMENT =
  'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErsBChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQSjQEIABIKCggKA2FwcBIBZBp1ChoKABIAGgAiACoAMgA4AEIAWggKA2FwcBIBZBJXEjkKBW5naW54EgVuZ2lueBoCc2gaAi1jGgF4KgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=';
const EXPECTED = { apiVersion: 'v1', kind: 'ConfigMap' };

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('protobuf bodies', () => {
  it('K-23: reads what `kubectl create configmap a --from-literal=x=1 --from-literal=y=` sends', () => {
    expect(decodeBody(Buffer.from(CREATE_CONFIG_MAP, 'base64'), EXPECTED)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      data: { x: '1', y: '' },
    });
  });

  it('K-23: reads what `kubectl create secret generic s --from-literal=p=q` sends', () => {
    expect(decodeBody(Buffer.from(CREATE_SECRET, 'base64'))).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's' },
      data: { p: 'cQ==' },
    });
  });

  it('K-23: reads what `kubectl create deployment d --image=nginx --port=80 --replicas=0 -- sh -c x` sends', () => {
    const container = { name: 'nginx', image: 'nginx', command: ['sh', '-c', 'x'], ports: [{ containerPort: 80 }] };
    expect(decodeBody(Buffer.from(CREATE_DEPLOYMENT, 'base64'))).toEqual({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'd', labels: { app: 'd' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ ...container, resources: {} }] } },
        strategy: {},
      },
      status: {},
    });
  });

  it('K-23: encodes an object byte for byte as kubectl does', () => {
    for (const base64 of [CREATE_CONFIG_MAP, CREATE_SECRET, CREATE_DEPLOYMENT]) {
      const object = decodeBody(Buffer.from(base64, 'base64')) as { apiVersion: string; kind: string };
      const message = messages.ofKind(object.apiVersion, object.kind);
      expect(message && encodeObject(message, object, object).toString('base64')).toBe(base64);
    }
  });

  it('K-23: takes the kind from the path if the envelope has none, and skips unknown fields', () => {
    const unnamed = hex('6b38730012050a030a017a');
    expect(decodeBody(unnamed, EXPECTED)).toEqual({ ...EXPECTED, metadata: { name: 'z' } });
    // Field 99 as a number, as bytes, as a group, and with four and eight bytes.
    const unknown = '980601' + '9a060161' + '9b0608019c06' + '9d0601020304' + '99060102030405060708';
    const body = `0a030a017a${unknown}`;
    expect(decodeBody(hex(`6b38730012${(body.length / 2).toString(16)}${body}`), EXPECTED)).toEqual({
      ...EXPECTED,
      metadata: { name: 'z' },
    });
  });

  it('K-23: keeps a map key with the name of a property of every object', () => {
    const entry = '0a0d0a095f5f70726f746f5f5f1200'.slice(4);
    const body = decodeBody(hex(`6b387300120f120d${entry}`), EXPECTED) as { data: object };
    expect(Object.entries(body.data)).toEqual([['__proto__', '']]);
  });

  it.each([
    [
      '7b7d',
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})',
    ],
    ['', 'the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)'],
    ['6b387300', 'the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)'],
    [
      '6b3873000a056162',
      'the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b3873000a056162)',
    ],
    [
      '6b3873000f',
      'the object provided is unrecognized (must be of type ConfigMap): proto: wrong wireType = 7 for field TypeMeta (6b3873000f)',
    ],
    ['6b3873000a040a00120012021234', 'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF'],
    [
      '6b3873000a080a02763112024869',
      'Hi in version "v1" cannot be handled as a ConfigMap: no kind "Hi" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      '6b3873000a0f0a0276311209436f6e6669674d61701202087b',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field ObjectMeta',
    ],
    [
      '6b3873000a0f0a0276311209436f6e6669674d6170120107',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: ConfigMap: illegal tag 0 (wire type 7)',
    ],
    [
      '6b3873000a0f0a0276311209436f6e6669674d617012010c',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: ConfigMap: wiretype end group for non-group',
    ],
    [
      '6b3873000a0f0a0276311209436f6e6669674d6170120b10ffffffffffffffffffff01',
      'the object provided is unrecognized (must be of type ConfigMap): proto: Unknown: illegal tag 0 (wire type 1) (6b3873000a0f0a0276311209436f6e6669674d6170120b10ffffffffffff ...)',
    ],
  ])('K-23: refuses %s with 400 and the message of kube-apiserver', (body, message) => {
    expect(() => decodeBody(hex(body), EXPECTED)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('K-23: refuses a body of a custom resource with 415, and one that is too deep or too large with 400', () => {
    expect(() => decodeBody(hex('6b387300'), { apiVersion: 'example.com/v1', kind: 'Widget' })).toThrow(
      expect.objectContaining({ code: 415 }),
    );
    const field = (number: number, content: Buffer): Buffer => {
      const head = [(number << 3) | 2];
      for (let rest = content.length; ; rest >>>= 7) {
        head.push(rest < 128 ? rest : (rest & 127) | 128);
        if (rest < 128) break;
      }
      return Buffer.concat([Buffer.from(head), content]);
    };
    const bodyOf = (content: Buffer): Buffer => Buffer.concat([Buffer.from('k8s\0'), field(2, content)]);
    let schema: Buffer = Buffer.alloc(0);
    // A schema whose items have a schema, and so on: fields `items` and `schema` of JSONSchemaProps.
    for (let depth = 0; depth < 400; depth++) schema = field(5, field(1, schema));
    const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    const kinds = { apiVersion: 'v1', kind: 'PodList' };
    expect(() => decodeBody(bodyOf(Buffer.concat(Array<Buffer>(400_001).fill(hex('1200')))), kinds)).toThrow(
      /more than 400000 values/,
    );
    expect(() => decodeBody(bodyOf(schema), definition)).not.toThrow();
  });
});
