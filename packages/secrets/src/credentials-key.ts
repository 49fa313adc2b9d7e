import { z } from 'zod';
import { parseKeyEncryptionKeys } from './key-encryption-keys';

/** The setting CREDENTIALS_KEY, or another one with keys that encrypt what a service stores. */
export const credentialsKey = () =>
  z.string().transform((text, context) => {
    try {
      return parseKeyEncryptionKeys(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });
