const MODEL = 'sim/chat';
const TASK_ID = 'task_0190b5a0-0000-7000-8000-000000000000';
const CREATED_AT = '2027-01-01T00:00:00.000Z';

const RERANK = {
  body: {
    model: 'sim/rerank',
    query: 'Who wears a hat?',
    documents: ['A dog.', 'A cat in a hat.'],
    top_n: 1,
  },
  answer: {
    object: 'list',
    model: 'sim/rerank',
    results: [{ index: 1, relevance_score: 0.9 }],
    usage: { prompt_tokens: 19, total_tokens: 19 },
  },
};

/** A valid body and a possible response, by path. */
export const V1_EXAMPLES: Readonly<Record<string, { readonly body?: unknown; readonly answer?: unknown }>> = {
  '/v1/chat/completions': {
    body: { model: MODEL, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 100 },
    answer: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_798_761_600,
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    },
  },
  '/v1/completions': {
    body: { model: MODEL, prompt: 'def fib(n):', suffix: 'print(fib(9))', max_tokens: 100 },
    answer: {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1_798_761_600,
      model: MODEL,
      choices: [{ index: 0, text: ' return n', logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    },
  },
  '/v1/responses': {
    body: { model: MODEL, input: 'Hello!', max_output_tokens: 100 },
    answer: {
      id: 'resp_1',
      object: 'response',
      created_at: 1_798_761_600,
      status: 'completed',
      incomplete_details: null,
      model: MODEL,
      output: [
        {
          id: 'msg_1',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hello.', annotations: [], logprobs: [] }],
        },
      ],
      usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
    },
  },
  '/v1/messages': {
    body: { model: MODEL, max_tokens: 100, messages: [{ role: 'user', content: 'Hello!' }] },
    answer: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 2 },
    },
  },
  '/v1/responses/compact': {
    body: { model: MODEL, input: 'Hello!' },
    answer: {
      id: 'resp_1',
      object: 'response.compaction',
      created_at: 1_798_761_600,
      output: [
        {
          id: 'msg_1',
          type: 'message',
          status: 'completed',
          role: 'user',
          content: [{ type: 'input_text', text: 'Hello!' }],
        },
        { id: 'cmp_1', type: 'compaction', encrypted_content: 'gws1.VGhlIHVzZXIgc2FpZCBoZWxsby4' },
      ],
      usage: { input_tokens: 120, output_tokens: 6, total_tokens: 126 },
    },
  },
  '/v1/responses/input_tokens': {
    body: { model: MODEL, input: 'Hello!' },
    answer: { object: 'response.input_tokens', input_tokens: 9 },
  },
  '/v1/messages/count_tokens': {
    body: { model: MODEL, messages: [{ role: 'user', content: 'Hello!' }] },
    answer: { input_tokens: 9 },
  },
  '/v1/moderations': {
    body: { model: 'sim/moderation', input: 'I will kill this process.' },
    answer: {
      id: 'modr-1',
      model: 'sim/moderation',
      results: [
        {
          flagged: true,
          categories: { violence: true },
          category_scores: { violence: 0.98 },
          category_applied_input_types: { violence: ['text'] },
        },
      ],
    },
  },
  '/v1/rerank': RERANK,
  '/v2/rerank': RERANK,
  '/v1/embeddings': {
    body: { model: 'sim/embedding', input: ['A cat in a hat.'], dimensions: 2 },
    answer: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
      model: 'sim/embedding',
      usage: { prompt_tokens: 6, total_tokens: 6 },
    },
  },
  '/v1/audio/speech': { body: { model: 'sim/speech', input: 'Hello!', voice: 'alloy' } },
  '/v1/audio/transcriptions': {
    answer: { text: 'Hello!', usage: { type: 'duration', seconds: 1 } },
  },
  '/v1/audio/translations': { answer: { text: 'Hello!' } },
  '/v1/images': { body: { model: 'sim/image', prompt: 'A cat in a hat.', size: '1024x1024' } },
  '/v1/images/generations': { body: { model: 'sim/image', prompt: 'A cat in a hat.' } },
  '/v1/videos/{provider}/create': {
    body: { model: 'sim/video', prompt: 'A cat in a hat.', duration: 5, tier: 'std' },
    answer: { task_id: TASK_ID, status: 'queued', model: 'sim/video', created_at: CREATED_AT },
  },
  '/v1/videos/{provider}/status': {
    body: { task_id: TASK_ID },
    answer: {
      task_id: TASK_ID,
      status: 'completed',
      model: 'sim/video',
      created_at: CREATED_AT,
      ended_at: '2027-01-01T00:01:00.000Z',
      duration: 5,
    },
  },
  '/v1/videos/{provider}/result': {
    body: { task_id: TASK_ID },
    answer: {
      task_id: TASK_ID,
      status: 'completed',
      videos: [{ url: 'https://provider.example/video.mp4', duration: 5, expires_at: null }],
    },
  },
};
