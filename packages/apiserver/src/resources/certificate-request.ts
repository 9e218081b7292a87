import { createPublicKey, verify } from 'node:crypto';

const PEM = /-----BEGIN (?<label>[^-]+)-----(?<body>[^-]*)-----END \k<label>-----/u;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;

/** Hash functions of signatures, by the DER of the object identifier of the algorithm, in hexadecimal. */
const HASHES: Readonly<Record<string, string | null>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  // Ed25519 has a hash function of its own.
  '2b6570': null,
};

/** Errors of Go for signatures of another key, by the type of the key. */
const UNVERIFIED: Readonly<Record<string, string>> = {
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
  rsa: 'crypto/rsa: verification error',
};

/** Returns why a text is not a request for a certificate in PEM (PKCS #10), or has not been signed with its key. */
export function requestFault(pem: Buffer): string | undefined {
  const { label, body = '' } = PEM.exec(pem.toString('latin1'))?.groups ?? {};
  if (label !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    const request = readElement(Buffer.from(body, 'base64'), SEQUENCE);
    const signed = readElement(request.content, SEQUENCE);
    const algorithm = readElement(signed.rest, SEQUENCE);
    const signature = readElement(algorithm.rest, BIT_STRING).content.subarray(1);
    const version = readElement(signed.content, INTEGER);
    const subject = readElement(version.rest, SEQUENCE);
    const key = createPublicKey({ key: readElement(subject.rest, SEQUENCE).bytes, format: 'der', type: 'spki' });
    const hash = HASHES[readElement(algorithm.content, OBJECT_IDENTIFIER).content.toString('hex')];
    if (hash === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
    if (verify(hash, signed.bytes, key, signature)) return undefined;
    return UNVERIFIED[key.asymmetricKeyType ?? ''] ?? 'x509: signature verification failure';
  } catch {
    return 'x509: malformed certificate request';
  }
}

/** DER of the object identifier of an organization (X.520, 2.5.4.10), in hexadecimal. */
const ORGANIZATION = '55040a';
const SET = 0x31;
const OBJECT_IDENTIFIER = 0x06;

/** Returns the organizations in the subject of a valid request for a certificate. */
export function organizationsOf(pem: Buffer): readonly string[] {
  const { body = '' } = PEM.exec(pem.toString('latin1'))?.groups ?? {};
  const request = readElement(Buffer.from(body, 'base64'), SEQUENCE);
  const signed = readElement(request.content, SEQUENCE);
  const version = readElement(signed.content, INTEGER);
  const organizations: string[] = [];
  for (let names = readElement(version.rest, SEQUENCE).content; names.length > 0;) {
    const set = readElement(names, SET);
    names = set.rest;
    for (let rest = set.content; rest.length > 0;) {
      const attribute = readElement(rest, SEQUENCE);
      rest = attribute.rest;
      const type = readElement(attribute.content, OBJECT_IDENTIFIER);
      const [tag = 0] = type.rest;
      if (type.content.toString('hex') === ORGANIZATION) {
        organizations.push(readElement(type.rest, tag).content.toString());
      }
    }
  }
  return organizations;
}

interface Element {
  /** With tag and length. */
  readonly bytes: Buffer;
  readonly content: Buffer;
  /** Bytes after the element. */
  readonly rest: Buffer;
}

/** Reads an element in DER. @throws {RangeError} if it has another tag or is incomplete. */
function readElement(bytes: Buffer, tag: number): Element {
  const [found, first = 0] = bytes;
  if (found !== tag) throw new RangeError('unexpected tag');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (start + length > bytes.length) throw new RangeError('incomplete element');
  return {
    bytes: bytes.subarray(0, start + length),
    content: bytes.subarray(start, start + length),
    rest: bytes.subarray(start + length),
  };
}
