/** First segments of the paths of the web UI's pages. */
export const WEB_AREAS = [
  'account',
  'audit',
  'billing',
  'keys',
  'login',
  'members',
  'models',
  'operator',
  'playground',
  'requests',
  'sign-up',
  'usage',
] as const;

export type WebArea = (typeof WEB_AREAS)[number];
