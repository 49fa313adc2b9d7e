import { randomBytes } from 'node:crypto';

const PASSWORD_BYTES = 15;

/** For somebody else's login: there is no mail, so whoever makes it hands it over, and the other changes it. */
export const firstPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
