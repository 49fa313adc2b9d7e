import type { GeminiContent, GeminiPart } from './gemini-content';

/** A request body as sent, parsed again. */
export interface SentRequest {
  readonly systemInstruction?: { readonly parts: readonly GeminiPart[] };
  readonly contents: readonly GeminiContent[];
  readonly tools?: readonly { readonly functionDeclarations: readonly Record<string, unknown>[] }[];
  readonly toolConfig?: { readonly functionCallingConfig: Record<string, unknown> };
  readonly generationConfig: Record<string, unknown>;
}

const DATA_MEMBERS = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'] as const;
const TOOL_ID = /^[a-zA-Z0-9_-]{1,40}$/;

/** Returns what generateContent would refuse about a request, as far as its rules are documented or known from its errors. */
export function brokenRules({ contents }: SentRequest, demandsSignatures: boolean): string[] {
  const broken: string[] = [];
  if (contents[0]?.role !== 'user') broken.push('the first content is not the user’s');
  for (const [index, { role, parts }] of contents.entries()) {
    const at = `contents[${index}]`;
    if (parts.length === 0) broken.push(`${at} has no parts`);
    broken.push(...parts.flatMap(brokenPartRules).map((rule) => `${at}: ${rule}`));
    const next = contents[index + 1];
    if (next?.role === role && !responsesOf(parts).length) broken.push(`${at} has the role of the next`);
    const calls = callsOf(parts);
    if (role === 'user' && calls.length > 0) broken.push(`${at}: the user calls`);
    if (responsesOf(parts).length > 0) {
      if (responsesOf(parts).length < parts.length) broken.push(`${at}: responses beside others`);
      if (callsOf(contents[index - 1]?.parts ?? []).length === 0) broken.push(`${at}: responses to nothing`);
    }
    if (calls.length > 0 && !isSame(calls, responsesOf(next?.parts ?? [])))
      broken.push(`${at}: not answered`);
    const firstCall = parts.find(({ functionCall }) => functionCall);
    if (demandsSignatures && firstCall && !firstCall.thoughtSignature) broken.push(`${at}: unsigned call`);
  }
  return broken;
}

function brokenPartRules(part: GeminiPart): string[] {
  const broken: string[] = [];
  if (DATA_MEMBERS.filter((member) => part[member] !== undefined).length !== 1) broken.push('not one member');
  if (part.text === '' && part.thoughtSignature === undefined) broken.push('empty text');
  if (part.thoughtSignature === '') broken.push('empty signature');
  const id = part.functionCall?.id ?? part.functionResponse?.id;
  if (id !== undefined && !TOOL_ID.test(id)) broken.push('id');
  if (Array.isArray(part.functionCall?.args)) broken.push('arguments');
  return broken;
}

function callsOf(parts: readonly GeminiPart[]): string[] {
  return parts.flatMap(({ functionCall: call }) => (call ? [`${call.id} ${call.name}`] : []));
}

function responsesOf(parts: readonly GeminiPart[]): string[] {
  return parts.flatMap(({ functionResponse: response }) =>
    response ? [`${response.id} ${response.name}`] : [],
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
