import type { WholeReply } from '../../domain/chat-provider';

const MODEL = Buffer.from('"model"');
const CONTENT = Buffer.from('"content"');
const QUOTE = 0x22;

/**
 * The reply with the name by which its caller knows the model. Claude Code keeps thoughts only of the model that it
 * talks to, by that name, and Anthropic refuses a round of tools whose thought is lost.
 */
export function withCallersModel({ bytes, value }: WholeReply, model: string): Buffer {
  const told = JSON.stringify(value.model);
  if (told === undefined) return bytes;
  const member = bytes.indexOf(MODEL);
  const start = bytes.indexOf(QUOTE, member + MODEL.length);
  const end = start + Buffer.byteLength(told);
  // What stands before the content has no members of its own by that name.
  const isPlain = member < bytes.indexOf(CONTENT) && bytes.toString('utf8', start, end) === told;
  if (!isPlain) return Buffer.from(JSON.stringify({ ...value, model }));
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(JSON.stringify(model)), bytes.subarray(end)]);
}
