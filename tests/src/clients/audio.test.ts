import { createOpenAI } from '@ai-sdk/openai';
import { wav } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateSpeech, transcribe } from 'ai';
import OpenAI, { toFile } from 'openai';
import { sendRequest } from '../support/http';
import { readLedger } from '../support/ledger';
import type { MeterEntry } from '../support/meter';
import { type Customer, type System, startSystem } from '../support/system';

let system: System;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem();
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  if (system) expect(await system.drift()).toBe(0);
  await system?.stop();
}, 30_000);

const TEXT = 'A cat in a hat, ein schöner Tag.';
const SECONDS = 3;

interface Access {
  readonly apiKey: string;
  readonly baseURL: string;
}

/** Calls of a package as its documentation shows them. */
interface AudioClient {
  readonly name: string;
  /** Returns the bytes of the audio. */
  speak(access: Access, model: string): Promise<number>;
  /** Returns the text. */
  transcribe(access: Access, model: string): Promise<string>;
}

const openai: AudioClient = {
  name: 'openai',
  async speak(access, model) {
    const reply = await new OpenAI(access).audio.speech.create({ model, voice: 'coral', input: TEXT });
    return (await reply.arrayBuffer()).byteLength;
  },
  async transcribe(access, model) {
    const file = await toFile(wav(SECONDS), 'speech.wav');
    return (await new OpenAI(access).audio.transcriptions.create({ model, file })).text;
  },
};

const vercel: AudioClient = {
  name: 'ai with @ai-sdk/openai',
  async speak(access, model) {
    const { audio } = await generateSpeech({
      ...{ model: createOpenAI(access).speech(model), text: TEXT, voice: 'coral' },
    });
    return audio.uint8Array.byteLength;
  },
  async transcribe(access, model) {
    const { text } = await transcribe({
      ...{ model: createOpenAI(access).transcription(model), audio: wav(SECONDS) },
    });
    return text;
  },
};

const access = (): Access => ({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1` });

/** USD per million, as the model list shows them. */
interface AudioPrices {
  readonly million_characters?: number;
  readonly hour?: number;
  readonly text_input?: number;
  readonly audio_input?: number;
  readonly text_output?: number;
  readonly audio_output?: number;
}

async function pricesOf(slug: string): Promise<AudioPrices> {
  const { json } = await sendRequest(`${system.stack.apiUrl}/v1/models/${slug}`, 'GET', {
    authorization: `Bearer ${customer.apiKey}`,
  });
  return json.pricing.audio;
}

const MILLI = 1_000;
const perMillionNano = (count: number, usd = 0) => BigInt(count) * BigInt(Math.round(usd * MILLI));

/** Checks that the only charge of the account is what the provider's meter says, at the listed price. */
async function expectPaid(slug: string): Promise<void> {
  await system.settled(customer);
  const [[requestId, chargedNano] = ['', 0n], ...more] = (await readLedger(system, customer)).charges;
  expect(more).toEqual([]);
  const [entry] = (await system.meter({ requestId })).entries;
  const costNano = costOf(await pricesOf(slug), entry!);
  expect(costNano).toBeGreaterThan(0n);
  expect(chargedNano).toBe(costNano);
}

/** Text and audio input have one price in every model of the seed. */
function costOf(prices: AudioPrices, { prompt_tokens, completion_tokens }: MeterEntry): bigint {
  if (prices.million_characters) return perMillionNano(Array.from(TEXT).length, prices.million_characters);
  if (prices.hour) return (BigInt(Math.round(prices.hour * 1e9)) * BigInt(SECONDS) + 3_599n) / 3_600n;
  const { text_input, audio_output, text_output = audio_output } = prices;
  return perMillionNano(prompt_tokens, text_input) + perMillionNano(completion_tokens, text_output);
}

describe.each([openai, vercel])('$name', (client) => {
  test.each(['sim/speech', 'sim/speech-tokens', 'openai/tts-1', 'openai/tts-1-hd', 'openai/gpt-4o-mini-tts'])(
    'speaks with %s, charged to the nano',
    async (model) => {
      expect(await client.speak(access(), model)).toBeGreaterThan(10_000);
      await expectPaid(model);
    },
  );

  test.each([
    'sim/transcription',
    'sim/transcription-tokens',
    'openai/whisper-1',
    'openai/gpt-4o-transcribe',
    'openai/gpt-4o-mini-transcribe',
    'mistral/voxtral-mini-2507',
  ])('transcribes with %s, charged to the nano', async (model) => {
    expect(await client.transcribe(access(), model)).toBe('Audio of 3000 milliseconds.');
    await expectPaid(model);
  });
});
