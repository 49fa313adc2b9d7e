/**
 * Parameters of login tokens (JWT). The dashboard issues them; edge and dashboard both verify them and accept only this
 * algorithm, whatever a token's header claims.
 */
export const LOGIN_TOKEN = {
  algorithm: 'EdDSA',
  issuer: 'model-gateway',
  audience: 'model-gateway-dashboard',
  lifetimeSeconds: 15 * 60,
  /** How long after its expiry a token can still be exchanged for a new one while its session is active. */
  renewableSeconds: 12 * 60 * 60,
} as const;
