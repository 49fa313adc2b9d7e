import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { KINDS } from '../providers/connect-provider';
import { generateServiceAccount } from '../providers/vertex/service-account.fixture';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

/** Of Kimi's models. */
const ID = 'functions.weather:0';
const parameters = { type: 'object', properties: {} };
const USER = { role: 'user', content: 'Rome?' };

/** A call and its result, as callers of each format send them back. */
const CALLERS: Readonly<Record<string, CallerRequest>> = {
  messages: CALLS.messages({
    tools: [{ name: 'weather', input_schema: parameters }],
    messages: [
      USER,
      { role: 'assistant', content: [{ type: 'tool_use', id: ID, name: 'weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: ID, content: 'sunny' }] },
    ],
  }),
  chat: CALLS.chat({
    tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    messages: [
      USER,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: ID, type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: ID, content: 'sunny' },
    ],
  }),
  responses: CALLS.responses({
    tools: [{ type: 'function', name: 'weather', parameters }],
    input: [
      USER,
      { type: 'function_call', call_id: ID, name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: ID, output: 'sunny' },
    ],
  }),
  generateContent: CALLS.generateContent({
    tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }],
    contents: [
      { role: 'user', parts: [{ text: 'Rome?' }] },
      { role: 'model', parts: [{ functionCall: { id: ID, name: 'weather', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: ID, name: 'weather', response: { output: 'sunny' } } }],
      },
    ],
  }),
};

const at = (baseUrl: string, options?: object): ChatProvider =>
  KINDS.anthropic({ id: 'a', baseUrl, apiKey: 'k', options: { ...options } }, new Quota({ limit: 1e6 }));

const vertex = providerOf('vertex-anthropic', { project: 'p' }, generateServiceAccount().json);

/** A call or its result, in Anthropic's format or Bedrock's. */
interface Block {
  readonly type?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly toolUse?: { readonly toolUseId: string };
  readonly toolResult?: { readonly toolUseId: string };
}

/** Returns the ids of the call and of its result that the provider receives. */
function sentIds(provider: ChatProvider, request: CallerRequest, upstreamModel: string): unknown[] {
  const blocks = receivedBy(provider, request, [], upstreamModel).messages.flatMap(
    ({ content }: { content: unknown }) => content,
  );
  const ids = blocks.map(({ type, id, tool_use_id, toolUse, toolResult }: Block) => {
    return type === 'tool_use' ? id : (tool_use_id ?? (toolUse ?? toolResult)?.toolUseId);
  });
  return ids.filter((id: unknown) => id !== undefined);
}

describe.each(Object.entries(CALLERS))('the id of a call in the history of %s', (_format, request) => {
  test.each([
    ['MiniMax', at('https://api.minimax.io/anthropic', { preset: 'minimax' }), 'MiniMax-M2'],
    ['Kimi', at('https://api.moonshot.ai/anthropic'), 'upstream-model'],
    ['DeepSeek', at('https://api.deepseek.com/anthropic'), 'upstream-model'],
    ['Z.ai', at('https://api.z.ai/api/anthropic'), 'upstream-model'],
    ["Kimi's model at another server", at('http://localhost:8000'), 'moonshotai/Kimi-K2-Thinking'],
  ])('returns as it is to %s', (_server, provider, upstreamModel) => {
    expect(sentIds(provider, request, upstreamModel)).toEqual([ID, ID]);
  });

  test.each([
    ['Anthropic', at('https://api.anthropic.com'), 'claude-sonnet-4-6'],
    ['Claude behind another server', at('https://proxy.example.com/anthropic'), 'claude-opus-4-6'],
    ['an unknown model behind an unknown server', at('https://api.moonshot.ai.example.com'), 'm'],
    ['Claude on Vertex AI', vertex, 'claude-sonnet-4-6'],
    ['Claude on Bedrock', providerOf('bedrock', { region: 'us-east-1' }), 'anthropic.claude-sonnet-4-6'],
  ])('is sent to %s with characters that it accepts', (_server, provider, upstreamModel) => {
    const [ofCall, ofResult] = sentIds(provider, request, upstreamModel);
    expect(ofCall).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(ofResult).toBe(ofCall);
  });
});
