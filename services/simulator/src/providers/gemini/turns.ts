import { isSignature } from './call-signature';
import { type Part, readContent, type Turn } from './contents';
import { invalid } from './error';
import type { ProtoReader } from './proto-reader';

/** Reads the contents; `checkTurns` runs only if the rest of the body is valid. */
export function readTurns(
  value: unknown,
  reader: ProtoReader,
): (Omit<Turn, 'role'> & { role: string | undefined })[] {
  return reader.list(value, 'contents').map((content, i) => readContent(content, reader, `contents[${i}]`));
}

/** Older models use signatures too, but do not require them. */
const DEMANDS_SIGNATURES = /^(?!gemini-[12]\.)/;

/** Models before Gemini 3.5 go on from a turn of their own at the end. */
const CONTINUES_ITS_TURN = /^gemini-(?:[12]\.|3(?:\.[0-4])?-)/;

/** @throws ProviderError for contents that do not form a conversation with this model */
export function checkTurns(contents: ReturnType<typeof readTurns>, model: string): Turn[] {
  if (contents.length === 0) {
    throw invalid('* GenerateContentRequest.contents: contents is not specified\n');
  }
  const turns = joinTurns(
    contents.map(({ role = 'user', parts }, i) => checkTurn(role, parts, `contents[${i}]`)),
  );
  turns.forEach((turn, i) => {
    checkOrder(turn, turns[i - 1]);
  });
  if (turns.at(-1)?.role === 'model' && !CONTINUES_ITS_TURN.test(model)) {
    throw invalid('Please ensure that multiturn requests ends with a user role or a function response.');
  }
  checkSignatures(turns, DEMANDS_SIGNATURES.test(model));
  return turns;
}

/** Joins adjacent turns of one role: some clients send each part in a content of its own. */
function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role)
      joined[joined.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
    else joined.push(turn);
  }
  return joined;
}

function checkTurn(given: string, parts: readonly Part[], at: string): Turn {
  const role = given === 'function' ? 'user' : given;
  if (role !== 'user' && role !== 'model') throw invalid('Please use a valid role: user, model.');
  if (parts.length === 0) {
    throw invalid(`* GenerateContentRequest.${at}.parts: contents.parts must not be empty.\n`);
  }
  for (const [i, part] of parts.entries()) {
    // A model's stream may end with an empty text, which clients send back unchanged.
    const empty = part.kind === 'none' || (part.kind === 'text' && part.text === '' && role === 'user');
    if (empty) {
      throw invalid(
        `* GenerateContentRequest.${at}.parts[${i}].data: required oneof field 'data' must have one initialized field\n`,
      );
    }
    if ((part.kind === 'call' || part.kind === 'response') && part.name === '') {
      throw invalid(
        `* GenerateContentRequest.${at}.parts[${i}].function_${part.kind}.name: Name cannot be empty.\n`,
      );
    }
    if (part.kind === (role === 'user' ? 'call' : 'response')) {
      throw invalid(`Please ensure that a function ${part.kind} is not in a turn of the ${role}.`);
    }
  }
  return { role, parts };
}

function checkOrder(turn: Turn, before: Turn | undefined): void {
  if (turn.role === 'model') {
    if (before === undefined && turn.parts.some(({ kind }) => kind === 'call')) {
      throw invalid(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    return;
  }
  const asked = namesOf(before, 'call');
  const answered = namesOf(turn, 'response');
  if (asked.length === 0 && answered.length > 0) {
    throw invalid('Please ensure that function response turn comes immediately after a function call turn.');
  }
  if (asked.length !== answered.length) {
    throw invalid(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
  }
  if (asked.join() !== answered.join()) {
    throw invalid(
      'Please ensure that the function response parts have the names of the function call parts.',
    );
  }
}

function namesOf(turn: Turn | undefined, kind: 'call' | 'response'): string[] {
  const parts = turn?.parts ?? [];
  return parts.flatMap((part) => ('name' in part && part.kind === kind ? [part.name] : [])).sort();
}

/** A signature must match its call; if required, the first call of each turn since the user's message must have one. */
function checkSignatures(turns: readonly Turn[], demanded: boolean): void {
  const spoken = turns.findLastIndex(
    ({ role, parts }) => role === 'user' && !parts.some(({ kind }) => kind === 'response'),
  );
  for (const [i, { parts }] of turns.entries()) {
    const calls = parts.filter((part) => part.kind === 'call');
    if (demanded && i > spoken && calls[0]?.signature === null) {
      throw invalid(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${calls[0].name}\` , position ${i + 1}.`,
      );
    }
    for (const { name, args, signature } of calls) {
      if (signature !== null && !isSignature(signature, name, args))
        throw invalid('Thought signature is not valid.');
    }
  }
}
