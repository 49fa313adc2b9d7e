import { beforeAll, expect, test } from '@jest/globals';
import OpenAI, { APIError, AuthenticationError } from 'openai';
import { meteredNano, nano, readLedger } from '../support/ledger';
import type { Customer, System } from '../support/system';

export function testOpenAiClient(gateway: () => System): void {
  let system: System;
  let customer: Customer;
  let client: OpenAI;

  beforeAll(async () => {
    system = gateway();
    customer = await system.provision({ balanceUsd: 10 });
    client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
  }, 60_000);

  /** Checks that balance, ledger and the simulator's meter agree exactly as soon as the call has ended. */
  async function expectBilled(requestId: string): Promise<bigint> {
    await system.settled(customer);
    const { balanceNano, charges } = await readLedger(system, customer);
    const metered = await meteredNano(system, requestId);
    expect(charges.get(requestId) ?? 0n).toBe(metered);
    expect(balanceNano).toBe(nano(10) - [...charges.values()].reduce((sum, charge) => sum + charge, 0n));
    expect(await system.drift()).toBe(0);
    return metered;
  }

  const messages = (content: string) => [{ role: 'user' as const, content }];

  test('makes a plain call', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'sim/chat', messages: messages('Say hello.') })
      .withResponse();
    expect(data.choices[0]?.message.content).toMatch(/\w+/);
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    const requestId = response.headers.get('x-request-id');
    expect(data).toHaveProperty('_request_id', requestId);
    expect(await expectBilled(`${requestId}`)).toBeGreaterThan(0n);
  });

  test('gets cached and reasoning tokens', async () => {
    const usage = { prompt_tokens: 900, completion_tokens: 70, cached_tokens: 300, reasoning_tokens: 40 };
    const { data, response } = await client.chat.completions
      .create({
        model: 'sim/chat',
        messages: messages(`x [[sim ${JSON.stringify({ usage })}]] ${'pad '.repeat(300)}`),
      })
      .withResponse();
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(300);
    expect(await expectBilled(`${response.headers.get('x-request-id')}`)).toBe(600_000n + 30_000n + 280_000n);
  });

  test.each([undefined, { include_usage: true }])(
    'makes a streamed call with stream_options %p',
    async (stream_options) => {
      const { data: stream, response } = await client.chat.completions
        .create({
          model: 'sim/chat',
          messages: messages('Stream. [[sim {"chunks":40}]]'),
          stream: true,
          ...(stream_options && { stream_options }),
        })
        .withResponse();
      let text = '';
      let usage: OpenAI.CompletionUsage | null | undefined;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        if (!stream_options) expect(chunk).not.toHaveProperty('usage');
        usage = chunk.usage ?? usage;
      }
      expect(text).toMatch(/\w+ \w+/);
      if (stream_options) expect(usage?.completion_tokens).toBeGreaterThanOrEqual(40);
      expect(await expectBilled(`${response.headers.get('x-request-id')}`)).toBeGreaterThan(0n);
    },
  );

  test('gets a streamed tool call', async () => {
    const directive = { tool_call: { name: 'weather', arguments: { city: 'Paris', unit: 'C' } } };
    const stream = client.chat.completions.stream({
      model: 'sim/chat',
      messages: messages(`[[sim ${JSON.stringify(directive)}]]`),
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    });
    const call = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls?.[0];
    expect(call).toMatchObject({ function: { name: 'weather' } });
    expect(JSON.parse((call as { function: { arguments: string } }).function.arguments)).toEqual({
      city: 'Paris',
      unit: 'C',
    });
  });

  test.each([1, 7, 23])(
    'disconnects from a stream after %i chunks and is billed what the provider sent',
    async (wanted) => {
      const { data: stream, response } = await client.chat.completions
        .create({
          model: 'sim/chat',
          messages: messages('Take your time. [[sim {"chunks":2000,"chunk_delay_ms":3}]]'),
          stream: true,
        })
        .withResponse();
      let seen = 0;
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content && ++seen === wanted) break;
      }
      stream.controller.abort();
      const requestId = `${response.headers.get('x-request-id')}`;
      const charge = await expectBilled(requestId);
      expect(charge).toBeGreaterThan(BigInt(wanted) * 4_000n);
      const [entry] = (await system.meter({ requestId })).entries;
      expect(entry).toMatchObject({ aborted: true, finished: false });
    },
  );

  test('disconnects from a model with hidden reasoning, which is billed in full', async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 5_000, reasoning_tokens: 4_900 };
    const directive = { chunks: 60, chunk_delay_ms: 5, usage };
    const { data: stream, response } = await client.chat.completions
      .create({
        model: 'openai/gpt-5.5',
        messages: messages(`Think. [[sim ${JSON.stringify(directive)}]]`),
        stream: true,
      })
      .withResponse();
    for await (const _chunk of stream) break;
    stream.controller.abort();
    const requestId = `${response.headers.get('x-request-id')}`;
    await system.settled(customer, 5_000);
    expect((await system.meter({ requestId })).entries[0]).toMatchObject({ finished: true, aborted: false });
    // gpt-5.5's output alone costs more than this at its catalog price.
    expect((await readLedger(system, customer)).charges.get(requestId)).toBeGreaterThan(5_000n * 10_000n);
  });

  test('disconnects before the answer and pays nothing', async () => {
    const abort = new AbortController();
    const call = client.chat.completions.create(
      { model: 'sim/chat', messages: messages('[[sim {"delay_ms":60000}]]') },
      { signal: abort.signal },
    );
    await waitForCallInFlight();
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    const { balance } = await system.settled(customer);
    const { balanceNano } = await readLedger(system, customer);
    expect(nano(balance)).toBe(balanceNano);
    expect((await system.meter({ limit: 1 })).entries[0]).toMatchObject({
      aborted: true,
      completion_tokens: 0,
    });
  });

  /** Cost at the catalog's price: 2, 0.2 and 5 USD per million tokens. */
  const magistralNano = (input: number, cached: number, output: number) =>
    BigInt(input - cached) * 2_000n + BigInt(cached) * 200n + BigInt(output) * 5_000n;

  test.each([false, true])(
    'uses a Mistral reasoning model: reasoning apart from text, turns sent back, cached tokens billed (streamed: %s)',
    async (streamed) => {
      const usage = { prompt_tokens: 900, completion_tokens: 70, cached_tokens: 800, reasoning_tokens: 40 };
      const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object' } } }];
      const said = [
        { thinking: 'Let me see.', text: 'Four.', usage },
        {
          thinking: 'A tool, then.',
          text: '',
          tool_call: [
            { name: 'f', arguments: { x: 1 } },
            { name: 'f', arguments: {} },
          ],
        },
        { text: 'Done.' },
      ];
      const history: OpenAI.ChatCompletionMessageParam[] = [];
      const before = (await readLedger(system, customer)).charges;
      for (const [turn, directive] of said.entries()) {
        const asked = `[[sim ${JSON.stringify(directive)}]] ${'pad '.repeat(900)}`;
        const called = history.at(-1) as OpenAI.ChatCompletionMessage | undefined;
        for (const { id } of called?.tool_calls ?? [])
          history.push({ role: 'tool', tool_call_id: id, content: 'ok' });
        history.push({ role: 'user', content: asked });
        const body = { model: 'mistral/magistral-medium-latest', messages: history, tools };
        const stream = streamed ? client.chat.completions.stream(body) : undefined;
        let thought = '';
        for await (const chunk of stream ?? []) {
          const { content, ...delta } = chunk.choices[0]?.delta ?? {};
          thought += (delta as { reasoning_content?: string }).reasoning_content ?? '';
          expect(['string', 'undefined', 'object']).toContain(typeof content);
          expect(Array.isArray(content)).toBe(false);
        }
        const completion = await (stream?.finalChatCompletion() ?? client.chat.completions.create(body));
        const { message } = completion.choices[0]!;
        if (!streamed) thought = (message as { reasoning_content?: string }).reasoning_content ?? '';
        expect(thought).toBe(directive.thinking ?? '');
        expect(message.content ?? '').toBe(directive.text);
        if (turn === 1) {
          expect(message.tool_calls).toMatchObject([
            { type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { type: 'function', function: { name: 'f', arguments: '{}' } },
          ]);
        }
        const sentBack = { ...message, reasoning_content: thought };
        history.push(sentBack);
      }
      await system.settled(customer);
      const { charges } = await readLedger(system, customer);
      const made = [...charges].filter(([id]) => !before.has(id)).map(([, charge]) => charge);
      expect(made).toHaveLength(3);
      expect(made).toContain(magistralNano(900, 800, 70));
      expect(await system.drift()).toBe(0);
    },
  );

  test('sends a small PDF, whose hold is based on its pages', async () => {
    const stream = 'BT /F1 12 Tf 72 720 Td (Hello, world.) Tj ET';
    const pdf = [
      '%PDF-1.4',
      '1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj',
      '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj',
      '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>\nendobj',
      `4 0 obj\n<< /Length ${stream.length} >>\nstream\n${stream}\nendstream\nendobj`,
      'trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF',
    ].join('\n');
    const ask = async (file: string) => {
      const poor = await system.provision({ balanceUsd: 6 });
      const theirs = new OpenAI({ apiKey: poor.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
      const file_data = `data:application/pdf;base64,${Buffer.from(file).toString('base64')}`;
      const content = [
        { type: 'text' as const, text: 'Sum it up. [[sim {"text":"A greeting."}]]' },
        { type: 'file' as const, file: { filename: 'a.pdf', file_data } },
      ];
      return theirs.chat.completions
        .create({ model: 'openai/gpt-5.5', messages: [{ role: 'user', content }] })
        .then(({ choices }) => choices[0]?.message.content)
        .catch((thrown: APIError) => thrown.code);
    };
    expect(await ask(pdf)).toBe('A greeting.');
    // This PDF may have any number of pages.
    expect(await ask(pdf.replace('[3 0 R]', '[3 0 R 3 0 R]'))).toBe('insufficient_balance');
  });

  test('gets AuthenticationError for a wrong key', async () => {
    const stranger = new OpenAI({
      apiKey: `sk-gw-${'x'.repeat(40)}`,
      baseURL: `${system.stack.apiUrl}/v1`,
      maxRetries: 0,
    });
    const error = await stranger.chat.completions
      .create({ model: 'sim/chat', messages: messages('hi') })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
    expect((error as AuthenticationError).requestID).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('gets errors with code, type and param', async () => {
    const failure = async (body: object) =>
      client.chat.completions
        .create({ model: 'sim/chat', messages: messages('hi'), ...body } as never)
        .catch((thrown: unknown) => thrown);
    expect(await failure({ model: 'gpt' })).toMatchObject({
      status: 400,
      code: 'invalid_model',
      param: 'model',
    });
    expect(await failure({ model: 'sim/none' })).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(await failure({ messages: [] })).toMatchObject({ code: 'missing_parameter', param: 'messages' });
    expect(await failure({ temperature: 3 })).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await failure({ model: 'sim/unreachable' })).toMatchObject({
      status: 502,
      code: 'upstream_unavailable',
    });
    expect(await failure({ messages: messages('[[sim {"status":500}]]') })).toMatchObject({
      status: 502,
      code: 'upstream_failed',
    });
  });

  test('gets an error at the end of a stream that the provider cuts, and is billed for the part it received', async () => {
    const { data: stream, response } = await client.chat.completions
      .create({
        model: 'sim/chat',
        messages: messages('[[sim {"chunks":50,"chunk_delay_ms":2,"drop_after_chunks":20}]]'),
        stream: true,
      })
      .withResponse();
    const read = async () => {
      for await (const _chunk of stream) {
        // Reads until the stream fails.
      }
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'upstream_failed' });
    expect(await expectBilled(`${response.headers.get('x-request-id')}`)).toBeGreaterThan(0n);
  });

  test('lists the models that its key may call', async () => {
    const all = (await client.models.list()).data.map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining(['sim/chat', 'openai/gpt-5.5']));
    expect(all).not.toEqual(expect.arrayContaining(['sim/disabled']));
    expect(all).not.toEqual(expect.arrayContaining(['sim/preview']));
    const narrow = await system.provision({ key: { allowed_models: ['sim/chat'] } });
    const only = new OpenAI({ apiKey: narrow.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
    expect((await only.models.list()).data.map(({ id }) => id)).toEqual(['sim/chat']);
    await expect(
      only.chat.completions.create({ model: 'openai/gpt-5.5', messages: messages('hi') }),
    ).rejects.toMatchObject({
      code: 'model_not_found',
    });
  });

  async function waitForCallInFlight(): Promise<void> {
    for (;;) {
      const { in_flight } = await system.meter({ limit: 1 });
      if (in_flight > 0) return;
    }
  }
}
