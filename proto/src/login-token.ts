/**
 * How a login token (JWT) is signed and addressed. Dashboard issues it; edge and dashboard both verify it,
 * and accept nothing but this algorithm, whatever a token's header says.
 */
export const LOGIN_TOKEN = {
  algorithm: 'EdDSA',
  issuer: 'model-gateway',
  audience: 'model-gateway-dashboard',
  lifetimeSeconds: 15 * 60,
} as const;
