import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Returns the SCRAM verifier that PostgreSQL stores for a password (RFC 5803). Sending it instead of the password keeps
 * the password out of statement logs.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, KEY_BYTES, 'sha256');
  const keyOf = (use: string) => createHmac('sha256', salted).update(use).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
