const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID)/;

/** @param code of a failed connection */
export function isUntrusted(code: string): boolean {
  return UNTRUSTED.test(code);
}

export const TRUST_IT =
  'Use an http URL, or make the certificate known with NODE_EXTRA_CA_CERTS=<file.pem> in the environment of agent-replay.';
