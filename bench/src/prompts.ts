const SENTENCES = [
  'A reverse proxy takes requests from clients and passes them on to servers behind it.',
  'It can share load between them, keep connections open, hide their addresses and check who calls.',
  'What it adds to each call is time and work of the processor, which is why both are measured here.',
  'Work per call says how many machines a given traffic needs; time per call says what a user notices.',
];
/** About a hundred tokens, so that the cost of copying and parsing is that of a typical reply. */
export const REPLY_TEXT = SENTENCES.join(' ');

export const SYSTEM =
  'You are a helpful assistant. Answer in plain words, briefly, and say so when you do not know something.';
export const QUESTION = 'What does a reverse proxy do, and what does it cost?';

/** Instructs the simulator how to reply. */
export type Directive =
  | { readonly text: string }
  | { readonly chunks: number; readonly chunk_delay_ms: number };

export const FIXED_REPLY: Directive = { text: REPLY_TEXT };

export function chunkedReply(chunks: number, chunkDelayMs: number): Directive {
  return { chunks, chunk_delay_ms: chunkDelayMs };
}

export const EMBEDDING_INPUTS: readonly string[] = Array.from(
  { length: 100 },
  (_, index) => `Paragraph ${index + 1}. ${SENTENCES[index % SENTENCES.length]}`,
);

export function shortPrompt(directive: Directive): object[] {
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: withDirective(QUESTION, directive) },
  ];
}

export function withDirective(question: string, directive: Directive): string {
  return `${question} [[sim ${JSON.stringify(directive)}]]`;
}
