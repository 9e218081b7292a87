const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** Returns the message of Go's HTTP client for an error of Node's. */
export function goTransportError(error: unknown, { hostname, port }: URL): string {
  const { code = '', message, cert } = error as NodeJS.ErrnoException & { cert?: { subjectaltname?: string } };
  if (UNKNOWN_AUTHORITY.has(code)) return certificateError('certificate signed by unknown authority');
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${hostname}:${port || '443'}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return certificateError('certificate has expired or is not yet valid');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return certificateError(`certificate is ${validFor(cert?.subjectaltname ?? '')}, not ${hostname}`);
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'EPROTO':
      return 'http: server gave HTTP response to HTTPS client';
    default:
      return message;
  }
}

function certificateError(reason: string): string {
  return `tls: failed to verify certificate: x509: ${reason}`;
}

function validFor(names: string): string {
  const values = names.split(', ').map((name) => name.replace(/^[^:]*:/, ''));
  return `valid for ${values.join(', ')}`;
}
