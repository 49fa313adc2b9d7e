import type { PromptMessage } from '../../domain/prompt';
import { type Block, readContent } from './blocks';
import type { CacheControls } from './cache-controls';
import { invalid } from './error';
import { listAt, objectAt, oneOfAt, onlyFields } from './fields';

export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  /** Index of the message in the request. */
  readonly index: number;
  readonly blocks: readonly Block[];
}

const FIELDS = new Set(['role', 'content']);

/** @throws ProviderError for messages that do not form a conversation */
export function readTurns(value: unknown, cacheControls: CacheControls): Turn[] {
  const messages = listAt(value, 'messages');
  if (messages.length === 0) throw invalid('messages: at least one message is required');
  const turns = messages.map((message, index) => readTurn(message, index, cacheControls));
  turns.forEach((turn, i) => {
    checkFilled(turn, i === turns.length - 1);
  });
  const dialogue = mergeTurns(turns.filter((turn) => turn.role !== 'system'));
  if (dialogue[0]?.role !== 'user') throw invalid('messages: first message must use the "user" role');
  dialogue.forEach(checkEndsAfterThinking);
  checkEnd(dialogue.at(-1));
  checkToolUse(dialogue);
  return turns;
}

function readTurn(value: unknown, index: number, cacheControls: CacheControls): Turn {
  const at = `messages.${index}`;
  const message = objectAt(value, at);
  onlyFields(message, FIELDS, at);
  const role = oneOfAt(message.role, ['user', 'assistant', 'system'], `${at}.role`);
  return { role, index, blocks: readContent(message.content, role, `${at}.content`, cacheControls) };
}

function checkFilled(turn: Turn, last: boolean): void {
  if (turn.blocks.length > 0 || (last && turn.role === 'assistant')) return;
  throw invalid(
    `messages.${turn.index}: all messages must have non-empty content except for the optional final assistant message`,
  );
}

/** Joins adjacent turns of one role. */
function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role !== turn.role) merged.push(turn);
    else merged[merged.length - 1] = { ...last, blocks: [...last.blocks, ...turn.blocks] };
  }
  return merged;
}

function checkEndsAfterThinking({ index, blocks }: Turn): void {
  if (blocks.at(-1)?.kind === 'thinking') {
    throw invalid(`messages.${index}: The final block in an assistant message cannot be \`thinking\`.`);
  }
}

function checkEnd(turn: Turn | undefined): void {
  const block = turn?.blocks.at(-1);
  if (turn?.role === 'assistant' && block?.kind === 'text' && /\s$/.test(block.text)) {
    throw invalid('messages: final assistant content cannot end with trailing whitespace');
  }
}

/**
 * Checks that an unfinished turn of tool calls begins with thinking, as a thinking budget requires.
 * @throws ProviderError
 */
export function checkOpenTurnStartsWithThinking(turns: readonly Turn[]): void {
  const dialogue = turns.filter((turn) => turn.role !== 'system');
  const said = dialogue.findLastIndex(
    ({ role, blocks }) => role === 'user' && !blocks.some(({ kind }) => kind === 'result'),
  );
  const first = dialogue.slice(said + 1).find(({ role }) => role === 'assistant');
  const kind = first?.blocks[0]?.kind;
  if (!first || kind === 'thinking') return;
  throw invalid(
    `messages.${first.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${kind === 'call' ? 'tool_use' : 'text'}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}

/** Every call must have exactly one result, at the start of the next turn. */
function checkToolUse(dialogue: readonly Turn[]): void {
  let open: ReadonlySet<string> = new Set();
  const seen = new Set<string>();
  for (const [i, turn] of dialogue.entries()) {
    if (turn.role === 'user') {
      checkAnswers(turn, open, dialogue[i - 1]);
      open = new Set();
      continue;
    }
    const ids = turn.blocks.filter((block) => block.kind === 'call').map(({ id }) => id);
    for (const id of ids) {
      if (seen.has(id)) throw invalid(`messages.${turn.index}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    open = new Set(ids);
  }
  if (open.size > 0) throw unanswered(dialogue.at(-1), open);
}

function checkAnswers(turn: Turn, open: ReadonlySet<string>, asked: Turn | undefined): void {
  const left = new Set(open);
  const answered = new Set<string>();
  let leading = true;
  for (const block of turn.blocks) {
    if (block.kind !== 'result') {
      leading = false;
      continue;
    }
    if (answered.has(block.id)) {
      throw invalid(
        `${block.at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.id}`,
      );
    }
    if (!open.has(block.id)) {
      throw invalid(
        `${block.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    answered.add(block.id);
    if (leading) left.delete(block.id);
  }
  if (left.size > 0) throw unanswered(asked, left);
}

function unanswered(turn: Turn | undefined, ids: ReadonlySet<string>) {
  return invalid(
    `messages.${turn?.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...ids].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

/** Tool results become separate messages, so that a conversation has the same tokens in every format. */
export function toPromptMessages({ role, blocks }: Turn): PromptMessage[] {
  const messages: PromptMessage[] = [];
  for (const block of blocks) {
    if (block.kind === 'result') messages.push(toPromptMessage('tool', block.content));
  }
  const rest = blocks.filter((block) => block.kind !== 'result');
  if (rest.length > 0 || messages.length === 0) messages.push(toPromptMessage(role, rest));
  return messages;
}

function toPromptMessage(role: PromptMessage['role'], blocks: readonly Block[]): PromptMessage {
  return {
    role,
    name: null,
    texts: blocks.filter((block) => block.kind === 'text').map(({ text }) => text),
    otherParts: blocks.filter((block) => block.kind === 'other').length,
    signedParts: blocks.filter((block) => block.kind === 'thinking').length,
    toolCalls: blocks
      .filter((block) => block.kind === 'call')
      .map((block) => ({ name: block.name, arguments: block.arguments })),
  };
}
