/** About a hundred tokens, so that copying and parsing a reply costs what it usually costs. */
export const REPLY_TEXT = [
  'A reverse proxy takes requests from clients and passes them on to servers behind it.',
  'It can share load between them, keep connections open, hide their addresses and check who calls.',
  'What it adds to each call is time and work of the processor, which is why both are measured here.',
  'Work per call says how many machines a given traffic needs; time per call says what a user notices.',
].join(' ');

const SYSTEM =
  'You are a helpful assistant. Answer in plain words, briefly, and say so when you do not know something.';
const QUESTION = 'What does a reverse proxy do, and what does it cost?';

export function fixedReplyPrompt(): object[] {
  return withDirective({ text: REPLY_TEXT });
}

export function chunkedPrompt(chunks: number, chunkDelayMs: number): object[] {
  return withDirective({ chunks, chunk_delay_ms: chunkDelayMs });
}

function withDirective(directive: object): object[] {
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: `${QUESTION} [[sim ${JSON.stringify(directive)}]]` },
  ];
}
