import { showableMessage } from '@gateway/upstream';

/**
 * A provider's words as a detail; something must be said where it has none to show.
 * It is kept with the task, and a database takes no NUL.
 */
export function showable(message: unknown): string {
  const words = showableMessage(message)
    ?.toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return words || 'the provider gave no reason';
}
