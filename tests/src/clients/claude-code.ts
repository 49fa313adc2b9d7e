import { BetaMessageStream } from '@anthropic-ai/sdk/lib/BetaMessageStream';
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta';
import { describe, expect, test } from '@jest/globals';
import { nano } from '../support/ledger';
import type { Customer, System } from '../support/system';
import { ChargeVerifier } from './charge-verifier';
import { type ClientFixture, directivePrompt } from './client-fixture';
import { type Family, thought } from './family';
import { costNano } from './price';

/** Its headers with an API key: no bearer token, and its own betas. */
const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24',
  'anthropic-dangerous-direct-browser-access': 'true',
  'x-app': 'cli',
  'x-stainless-helper-method': 'stream',
};
/** Costs more than a dollar where an output token costs more than 1/64,000 USD. */
const MAX_TOKENS = 64_000;
/** A model that requires a turn of tool calls to begin with its own thinking. */
const BUDGETED = 'anthropic/claude-haiku-4-5';
const CACHED = { cache_control: { type: 'ephemeral' } } as const;
const SESSION = { user_id: '{"device_id":"0f","account_uuid":"","session_id":"7c"}' };
const TOOLS = [
  toolOf('Bash', 'command'),
  toolOf('Read', 'file_path'),
  { ...toolOf('Write', 'content'), ...CACHED },
];

/** Tests each kind of request that Claude Code sends, with a model of the family. */
export function testClaudeCode(family: Family, fixture: () => ClientFixture): void {
  const { model } = family;

  describe('Claude Code', () => {
    test('counts the tokens of a prompt and lists models', async () => {
      const { system, customer } = fixture();
      const { messages } = turnOf(family);
      const counted = await post(system, customer, 'messages/count_tokens', {
        model,
        messages,
        tools: TOOLS,
      });
      expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
      const url = `${system.stack.apiUrl}/v1/models?limit=1000`;
      const listed = await fetch(url, { headers: { ...HEADERS, 'x-api-key': customer.apiKey } });
      const { data } = (await listed.json()) as { data: { id: string }[] };
      expect(data.map(({ id }) => id)).toContain(model);
    });

    test('gets a session title', async () => {
      const { system, customer, charges } = fixture();
      const { result } = await charges.check(model, () =>
        send(system, customer, {
          model,
          max_tokens: 32_000,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Name it.' }] }],
          system: [{ type: 'text', text: 'Answer with a title.' }],
          tools: [],
          metadata: SESSION,
          output_config: { format: { type: 'json_schema', schema: objectOf('title') } },
        }),
      );
      expect(result.message.content).toMatchObject([{ type: 'text', text: '{"title":"text"}' }]);
    });

    test('works with tools', async () => {
      const { system, customer, charges } = fixture();
      await charges.check(model, () => work(system, customer, family));
    });

    test('continues a tool turn with another model that has a thinking budget', async () => {
      const { system, customer, charges } = fixture();
      const { output_config: _, ...turn } = turnOf(family);
      const { result: first } = await charges.check(model, () => send(system, customer, turn));
      const changed = {
        ...turn,
        model: BUDGETED,
        max_tokens: 32_000,
        thinking: { type: 'enabled', budget_tokens: 31_999 },
        messages: [...turn.messages, ...roundOf(first.message)],
      };
      const { result } = await charges.check(BUDGETED, () => send(system, customer, changed));
      expect(result.message.content.at(-1)).toMatchObject({ type: 'text', text: 'Done.' });
    });

    test('keeps working with a balance of one dollar', async () => {
      const { system } = fixture();
      const customer = await system.provision({ balanceUsd: 1 });
      const charges = new ChargeVerifier(system, customer);
      const { result } = await charges.check(model, () => work(system, customer, family));
      const output = { prompt_tokens: 0, cached_tokens: 0, cache_write_tokens: 0 };
      const isShort = costNano(model, { ...output, completion_tokens: MAX_TOKENS }) > nano(1);
      expect(result === null).toBe(!isShort);
      expect(Number(result ?? 0)).toBeLessThan(MAX_TOKENS);
    });
  });
}

/**
 * Runs two rounds of one task.
 * @returns the maximum output that the first round was lowered to, or null; the second may find the first one's hold
 */
async function work(system: System, customer: Customer, family: Family): Promise<string | null> {
  const turn = turnOf(family);
  const first = await send(system, customer, turn);
  // Claude Code sends thinking back only if the model name is unchanged.
  expect(first.message).toMatchObject({ model: turn.model, stop_reason: 'tool_use' });
  const thoughts = first.message.content.map((block) => (block.type === 'thinking' ? block.thinking : ''));
  expect(thoughts.join('')).toBe(family.thinks === 'shown' ? 'Look first.' : '');
  const calls = first.message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  expect(calls).toMatchObject([
    { name: 'Read', input: { file_path: '/a “b”.ts' } },
    { name: 'Bash', input: { command: 'ls' } },
  ]);
  const messages = [...turn.messages, ...roundOf(first.message)];
  const last = await send(system, customer, { ...turn, messages });
  expect(last.message).toMatchObject({ stop_reason: 'end_turn' });
  expect(last.message.content.at(-1)).toMatchObject({ type: 'text', text: 'Done.' });
  return first.lowered;
}

/** Returns the reply, its tool results and a system message. */
function roundOf({ content }: BetaMessage): BetaMessageParam[] {
  const calls = content.filter((block) => block.type === 'tool_use');
  const results = calls.map(({ id, name }) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: name === 'Read' ? [{ type: 'text' as const, text: '1\tlet it = 1;' }] : 'ls: not found',
    ...(name === 'Bash' && { is_error: true, ...CACHED }),
  }));
  return [
    { role: 'assistant', content },
    { role: 'user', content: results },
    { role: 'system', content: 'The tools have changed nothing.' },
  ];
}

function turnOf(family: Family) {
  const directive = {
    ...thought(family, 'Look first.'),
    text: 'I look.',
    tool_call: [
      { name: 'Read', arguments: { file_path: '/a “b”.ts' } },
      { name: 'Bash', arguments: { command: 'ls' } },
    ],
    later: [{ ...thought(family, 'Enough.'), text: 'Done.' }],
  };
  const messages: BetaMessageParam[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>\nToday is a day.\n</system-reminder>' },
        { type: 'text', text: directivePrompt(directive), ...CACHED },
      ],
    },
    { role: 'system', content: [{ type: 'text', text: 'Some tools are slow today.' }] },
  ];
  return {
    model: family.model,
    messages,
    system: [
      { type: 'text', text: 'You work on code.' },
      { type: 'text', text: `These are the rules. ${'Keep to them. '.repeat(500)}`, ...CACHED },
    ],
    tools: TOOLS,
    metadata: SESSION,
    max_tokens: MAX_TOKENS,
    thinking: { type: 'adaptive' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
  };
}

async function send(
  system: System,
  customer: Customer,
  body: object,
): Promise<{ message: BetaMessage; lowered: string | null }> {
  const response = await post(system, customer, 'messages', { ...body, stream: true });
  const frames = await response.text();
  if (!response.ok) throw new Error(frames);
  const events = frames.split('\n').filter((line) => line.startsWith('data: '));
  const lines = new Response(events.map((line) => line.slice('data: '.length)).join('\n')).body!;
  const message = await BetaMessageStream.fromReadableStream(lines).finalMessage();
  return { message, lowered: response.headers.get('x-gateway-max-tokens') };
}

function post({ stack }: System, { apiKey }: Customer, path: string, body: object): Promise<Response> {
  const headers = { ...HEADERS, 'x-api-key': apiKey };
  return fetch(`${stack.apiUrl}/v1/${path}?beta=true`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
}

function toolOf(name: string, field: string) {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return { name, description: `${name}s it.`, input_schema: { $schema, ...objectOf(field) } };
}

function objectOf(field: string) {
  return {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
    additionalProperties: false,
  };
}
