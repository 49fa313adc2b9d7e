import { randomBytes } from 'node:crypto';

const PASSWORD_BYTES = 15;

/** For another user's login: there is no mail, so its creator hands it over, and the user changes it. */
export const temporaryPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
