import { showableMessage } from '@gateway/upstream';

/** A provider's words as a detail; something must be said where it has none to show. */
export function showable(message: unknown): string {
  return showableMessage(message) ?? 'the provider gave no reason';
}
