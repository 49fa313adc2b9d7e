/**
 * How a login token (JWT) is signed and addressed. Dashboard issues it; edge and dashboard both verify it,
 * and accept nothing but this algorithm, whatever a token's header says.
 */
export const LOGIN_TOKEN = {
  algorithm: 'EdDSA',
  issuer: 'model-gateway',
  audience: 'model-gateway-dashboard',
  lifetimeSeconds: 15 * 60,
  /** For so long after its end a token can still be exchanged for a new one, if its session has not ended. */
  renewableSeconds: 12 * 60 * 60,
} as const;
