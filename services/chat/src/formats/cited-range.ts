import type { Citation } from '../domain/conversation';

/** Returns where a cited part of a text begins and ends; its end if the text does not contain the part. */
export function citedRange(text: string, { cited }: Citation): { start_index: number; end_index: number } {
  const at = cited === '' ? -1 : text.lastIndexOf(cited);
  return at === -1
    ? { start_index: text.length, end_index: text.length }
    : { start_index: at, end_index: at + cited.length };
}
