import { showableMessage } from '@gateway/upstream';

/**
 * Returns a provider's message as a detail, or a default. It is stored with the task, and PostgreSQL does not accept NUL.
 */
export function showable(message: unknown): string {
  const words = showableMessage(message)
    ?.toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return words || 'the provider gave no reason';
}
