import { costOf } from '@gateway/pricing';
import { PRESETS } from '@gateway/providers';
import { Quota } from '@gateway/quota';
import { type JsonObject, membersOf } from '@gateway/upstream';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { callWith, PRICE } from '../app/recorded-call.fixture';
import type { ChatProvider } from '../domain/chat-provider';
import { TokenCounter } from '../domain/token-count';
import { NO_USAGE, type TokenUsage } from '../domain/usage';
import { KINDS } from './connect-provider';
import { readAsAnthropic, readAsOpenAi } from './received-reply.fixture';

/** Where a stream has its usage. `bare`: in a chunk without choices. `repeated`: with zeros in a later chunk. */
const PLACES = ['last', 'own', 'bare', 'absent', 'zero', 'repeated', 'partial'] as const;
type Place = (typeof PLACES)[number];
const ENDS = ['marked', 'unframed', 'closed'] as const;
type End = (typeof ENDS)[number];
const CLIENTS = ['openai', 'anthropic'] as const;

const PIECES = ['Bern is', ' the capital.'];
const TEXT = PIECES.join('');
/** As counted by the gateway: the text, and the prompt "Hi" in its message. */
const COUNTED = { ...NO_USAGE, input: 8, output: 5 };

type Format = 'openai' | 'anthropic' | 'cohere' | 'gemini';

/** A stream in the format of a provider: the events of its content and its end, and the last event. */
interface Written {
  readonly events: readonly string[];
  /** Undefined: the format has none. */
  readonly mark?: string;
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string }) => `event: ${value.type}\n${data(value)}`;

const FIGURES = {
  openai: {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
  anthropic: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 20 },
  cohere: { billed_units: { input_tokens: 100, output_tokens: 20 } },
  gemini: {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 15,
    thoughtsTokenCount: 5,
  },
};
const ZEROS = {
  openai: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  anthropic: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
  cohere: {
    billed_units: { input_tokens: 0, output_tokens: 0 },
    tokens: { input_tokens: 0, output_tokens: 0 },
  },
  gemini: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
};
const PARTS = {
  openai: { completion_tokens: 20 },
  anthropic: { output_tokens: 20 },
  cohere: { billed_units: { output_tokens: 20 } },
  gemini: { candidatesTokenCount: 20 },
};

function usageAt(format: Format, place: Place): { last?: object; own?: object } {
  switch (place) {
    case 'last':
      return { last: FIGURES[format] };
    case 'own':
    case 'bare':
      return { own: FIGURES[format] };
    case 'absent':
      return {};
    case 'zero':
      return { own: ZEROS[format] };
    case 'repeated':
      return { last: FIGURES[format], own: ZEROS[format] };
    case 'partial':
      return { last: PARTS[format] };
  }
}

const WRITERS: Readonly<Record<Format, (place: Place, member?: string) => Written>> = {
  openai(place, member) {
    const { last, own } = usageAt('openai', place);
    const chunk = (choices: unknown, usage?: object) =>
      data({
        ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices },
        ...(usage && (member ? { [member]: { usage } } : { usage })),
      });
    const choice = (delta: object, finish_reason: string | null = null) => [
      { index: 0, delta, finish_reason },
    ];
    return {
      events: [
        chunk(choice({ role: 'assistant', content: '' })),
        ...PIECES.map((content) => chunk(choice({ content }))),
        chunk(choice({}, 'stop'), last),
        ...(own ? [chunk(place === 'bare' ? undefined : [], own)] : []),
      ],
      mark: 'data: [DONE]\n\n',
    };
  },
  anthropic(place) {
    const { last, own } = usageAt('anthropic', place);
    const start = place === 'own' ? { ...own, output_tokens: 1 } : place === 'repeated' ? last : undefined;
    const { output_tokens = undefined } = membersOf(own);
    return {
      events: [
        named({
          type: 'message_start',
          message: { id: 'm', content: [], ...(start && { usage: start }) },
        } as never),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
        ...PIECES.map((text) =>
          named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
        ),
        named({ type: 'content_block_stop', index: 0 } as never),
        named({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: place === 'own' ? { output_tokens } : (own ?? last),
        } as never),
      ],
      mark: named({ type: 'message_stop' }),
    };
  },
  cohere(place) {
    const { last, own } = usageAt('cohere', place);
    const delta = { finish_reason: 'COMPLETE', usage: last ?? own };
    return {
      events: [
        data({ type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } }),
        ...PIECES.map((text) =>
          data({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } }),
        ),
        data({ type: 'message-end', delta }),
      ],
    };
  },
  gemini(place) {
    const { last, own } = usageAt('gemini', place);
    const chunk = (text: string, more: object = {}, usageMetadata?: object) =>
      data({ candidates: [{ content: { parts: [{ text }] }, ...more }], usageMetadata, modelVersion: 'm' });
    return {
      events: [
        ...PIECES.slice(0, -1).map((text) => chunk(text)),
        chunk(PIECES.at(-1)!, { finishReason: 'STOP' }, last),
        ...(own ? [data({ usageMetadata: own, modelVersion: 'm' })] : []),
      ],
    };
  },
};

const FORMATS: Readonly<Record<string, Format>> = {
  anthropic: 'anthropic',
  cohere: 'cohere',
  gemini: 'gemini',
};
const bufferQuota = new Quota({ limit: 1_000_000 });

interface Case {
  readonly name: string;
  readonly kind: keyof typeof KINDS;
  readonly preset?: string;
  readonly member?: string | undefined;
}

/** Every preset, and the kinds without one. */
const CASES: readonly Case[] = [
  ...[...PRESETS.values()].map(({ id, kind, quirks }) => ({
    ...{ name: `preset ${id}`, kind, preset: id },
    member: quirks?.usage_member,
  })),
  ...(['anthropic', 'gemini', 'azure-openai'] as const).map((kind) => ({ name: `kind ${kind}`, kind })),
];

function connect({ kind, preset }: Case): ChatProvider {
  const options = preset === undefined || kind !== 'openai' ? {} : { preset };
  return KINDS[kind]({ id: 'a', baseUrl: 'http://provider.invalid/v1', apiKey: 'k', options }, bufferQuota);
}

function streamOf({ events, mark }: Written, end: End): Buffer {
  const whole = events.join('');
  if (end === 'marked') return Buffer.from(whole + (mark ?? ''));
  return Buffer.from(end === 'closed' ? whole : (whole + (mark ?? '')).trimEnd());
}

/** Returns what the provider has said, with our own count of what it has not. */
function billOf(format: Format, place: Place, { kind }: Case): TokenUsage {
  if (place === 'absent' || place === 'zero') return COUNTED;
  if (place === 'partial') return { ...COUNTED, output: 20 };
  if (format === 'cohere') return { ...NO_USAGE, input: 100, output: 20 };
  const reported = { ...NO_USAGE, input: 60, cache_read: 40, output: 20 };
  if (format === 'anthropic') return reported;
  // xAI reports reasoning beside the completion.
  return { ...reported, output: kind === 'xai' ? 25 : 20, reasoning: 5 };
}

const eventsOf = (body: string): JsonObject[] =>
  [...body.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json!));

/** Returns the usage that the client receives last. */
const shownUsage = (events: readonly JsonObject[]): JsonObject =>
  events.map(({ usage }) => membersOf(usage)).findLast(({ cost }) => cost !== undefined) ?? {};

// The first count is slow, and one that exceeds its CPU time is an estimate.
beforeAll(() => new TokenCounter().addText(TEXT));

describe.each(CASES)('a stream of $name', (each) => {
  const provider = connect(each);
  const format = FORMATS[each.kind] ?? 'openai';

  test.each(ENDS)(
    'is complete and charged by its figures, wherever they are, if its end is %s',
    async (end) => {
      for (const place of PLACES) {
        for (const wire of CLIENTS) {
          const sent = streamOf(WRITERS[format](place, each.member), end);
          const { body = '', billed } = await callWith(
            provider,
            { status: 200, isStream: true, body: sent },
            wire,
          );
          const usage = billOf(format, place, each);
          const at = [place, wire];
          const { text, finish, errorCode } = (wire === 'openai' ? readAsOpenAi : readAsAnthropic)(
            body,
            true,
          );
          expect([at, text, finish, errorCode]).toEqual([
            at,
            TEXT,
            wire === 'openai' ? 'stop' : 'end_turn',
            undefined,
          ]);
          const { input, cache_read: cacheRead, output } = usage;
          expect([at, billed[0]?.tokens]).toEqual([
            at,
            expect.objectContaining({
              ...{ input: `${input}`, cacheRead: `${cacheRead}`, output: `${output}` },
              reasoning: `${usage.reasoning}`,
            }),
          ]);
          const { costNano } = costOf(usage, PRICE);
          expect([at, billed[0]?.costNano]).toEqual([at, `${costNano}`]);
          const events = eventsOf(body);
          // OpenAI's own clients fail for a chunk without choices.
          if (wire === 'openai') expect(events.every(({ choices }) => Array.isArray(choices))).toBe(true);
          const shown = shownUsage(events);
          expect([at, shown.cost]).toEqual([at, Number(costNano) / 1e9]);
          // A figure that the provider reports beside another passes as it is.
          const isShownAsReported = each.kind === 'xai' && wire === 'openai';
          const shownOutput = shown.completion_tokens ?? shown.output_tokens;
          if (!isShownAsReported) expect([at, shownOutput]).toEqual([at, output]);
        }
      }
    },
  );

  test('is an error if it ends before the finish reason, or its connection breaks after it', async () => {
    const { events } = WRITERS[format]('absent');
    for (const [count, breaks] of [
      [events.length - 1, false],
      [events.length, true],
    ] as const) {
      if (breaks && format === 'cohere') continue;
      const body = Buffer.from(events.slice(0, count).join(''));
      const cut = { status: 200, isStream: true, body, breaks };
      const { body: received = '' } = await callWith(provider, cut, 'openai');
      expect([count, readAsOpenAi(received, true).errorCode]).toEqual([count, 'upstream_failed']);
    }
  });
});
