import { isInScope } from '@gateway/models';
import { describe, expect, test } from '@jest/globals';
import { ENDPOINTS } from './endpoints';
import { findEndpoint, scopeOfCall } from './find-endpoint';

describe('the API route table', () => {
  test.each([
    ['POST', '/v1/chat/completions', 'chat_completions'],
    ['GET', '/v1/models', 'models'],
    ['GET', '/v1/models/sim', 'model'],
    ['GET', '/v1/models/sim/chat', 'model'],
    ['GET', '/v1/models/sim%2Fchat', 'model'],
    ['GET', '/v1/models/openai/gpt-5.5', 'model'],
    ['GET', '/v1/models/meta/llama-4:free', 'model'],
    ['POST', '/v1beta/models/sim/chat:countTokens', 'count_content_tokens'],
    ['POST', '/v1/responses', 'responses'],
    ['POST', '/v1/responses/compact', 'response_compaction'],
    ['POST', '/v1/responses/input_tokens', 'response_input_tokens'],
    ['GET', '/v1/responses/resp_1', 'response'],
    ['GET', '/v1/responses/resp_1/input_items', 'response_input_items'],
    ['POST', '/v1/responses/resp_1/cancel', 'response_cancel'],
    ['POST', '/v1/responses/resp_1/delete', 'response_delete'],
    ['GET', '/v1/files', 'files'],
    ['POST', '/v1/files', 'file_create'],
    ['GET', '/v1/files/file-1', 'file'],
    ['GET', '/v1/files/file-1/content', 'file_content'],
    ['POST', '/v1/files/file-1/delete', 'file_delete'],
    ['GET', '/v1/batches', 'batches'],
    ['POST', '/v1/batches', 'batch_create'],
    ['GET', '/v1/batches/batch_1', 'batch'],
    ['POST', '/v1/batches/batch_1/cancel', 'batch_cancel'],
    ['GET', '/v1/messages/batches', 'message_batches'],
    ['POST', '/v1/messages/batches', 'message_batch_create'],
    ['GET', '/v1/messages/batches/msgbatch_1', 'message_batch'],
    ['GET', '/v1/messages/batches/msgbatch_1/results', 'message_batch_results'],
    ['POST', '/v1/messages/batches/msgbatch_1/cancel', 'message_batch_cancel'],
    ['POST', '/v1/messages/batches/msgbatch_1/delete', 'message_batch_delete'],
    ['POST', '/v1/images', 'images'],
    ['POST', '/v1/images/generations', 'images_generations'],
    ['POST', '/v1/images/edits', 'images_edits'],
    ['POST', '/v1/audio/speech', 'speech'],
    ['POST', '/v1/audio/transcriptions', 'transcriptions'],
    ['POST', '/v1/audio/translations', 'translations'],
    ['GET', '/v1/videos', 'videos'],
    ['POST', '/v1/videos/kling/create', 'video_create'],
    ['POST', '/v1/videos/no-such/status', 'video_status'],
    ['POST', '/v1/videos/files/result', 'video_result'],
    ['GET', '/v1/videos/files/abc.def-_', 'video_file'],
    ...['/v1beta', '/v1', '/v1beta/models', '/v1/models'].flatMap((base) => [
      ['POST', `${base}/openai/gpt-5.5:generateContent`, 'generate_content'],
      ['POST', `${base}/openai/gpt-5.5%3AstreamGenerateContent`, 'generate_content'],
      ['POST', `${base}/openai/gpt-5.5:countTokens`, 'count_content_tokens'],
      ['POST', `${base}/mistral/embed:embedContent`, 'embed_content'],
      ['POST', `${base}/mistral/embed:batchEmbedContents`, 'embed_content'],
    ]),
  ])('routes %s %s', (method, path, name) => {
    expect(findEndpoint(method, path)?.name).toBe(name);
  });

  test.each([
    ['GET', '/v1/chat/completions'],
    ['POST', '/v1/models'],
    ['HEAD', '/v1/models'],
    ['OPTIONS', '/v1/models'],
    ['get', '/v1/models'],
    ['POST', '/v1/chat/completions/'],
    ['POST', '//v1/chat/completions'],
    ['POST', '/v1//chat/completions'],
    ['POST', '/v1/chat%2Fcompletions'],
    ['POST', '/v1/%63hat/completions'],
    ['POST', '/V1/chat/completions'],
    ['POST', '/v1/Chat/Completions'],
    ['POST', '/v1/./chat/completions'],
    ['POST', '/v2/chat/completions'],
    ['POST', '/chat/completions'],
    ['POST', '/api/v1/chat/completions'],
    ['POST', 'http://host/v1/chat/completions'],
    ['POST', '/v1/chat/completions;x=1'],
    ['GET', '/v1/models/'],
    ['GET', '/v1/models//'],
    ['GET', '/v1/models//sim'],
    ['GET', '/v1/models/sim/'],
    ['GET', '/v1/models/sim//chat'],
    ['GET', '/v1/models/%zz'],
    ['GET', '/v1/models/a%2'],
    ['GET', '/v1/models/a\\b'],
    ['GET', '/v1/models/sim/chat:generateContent'],
    ['GET', '/v1beta/models/sim/chat:streamGenerateContent'],
    ['GET', '/v1beta/models/sim/chat%3AcountTokens'],
    ['GET', '/v1beta/models/models/sim/embedding:batchEmbedContents'],
    ['GET', '/v1beta/models/sim/chat:generateAnswer'],
    ['DELETE', '/v1/responses/resp_1'],
    ['GET', '/v1/responses'],
    ['GET', '/v1/responses/'],
    ['POST', '/v1/responses/resp_1'],
    ['GET', '/v1/responses/resp_1/cancel'],
    ['DELETE', '/v1/messages/batches/msgbatch_1'],
    ['POST', '/v1/batches/batch_1'],
    ['POST', '/v1/batches/batch_1/delete'],
    ['GET', '/v1/batches/batch_1/results'],
    ['GET', '/v1/images'],
    ['POST', '/v1/images/'],
    ['POST', '/v1/images/variations'],
    ['POST', '/v1/videos'],
    ['GET', '/v1/videos/'],
    ['POST', '/v1/videos/create'],
    ['POST', '/v1/videos//create'],
    ['POST', '/v1/videos/kling/v1/create'],
    ['POST', '/v1/videos/kling/create/'],
    ['POST', '/v1/videos/kling/delete'],
    ['GET', '/v1/videos/kling/status'],
    ['POST', '/v1/videos/files/abc'],
    ['GET', '/v1/videos/files/'],
    ['GET', '/v1/videos/files/a/b'],
    ['POST', '/v1beta/gpt-5.5:generateContent'],
    ['POST', '/v1beta/openai/gpt-5.5'],
    ['POST', '/v1beta/openai/gpt-5.5:predict'],
    ['POST', '/v1beta/a/b/c:generateContent'],
    ['POST', '/v1beta//gpt-5.5:generateContent'],
    ['GET', '/v1beta/openai/gpt-5.5:generateContent'],
    ['GET', '/'],
    ['GET', ''],
    ['GET', '*'],
  ])('has no route for %s %s', (method, path) => {
    expect(findEndpoint(method, path)).toBeUndefined();
  });
});

describe('the scope of a path', () => {
  /** Paths that a key without any scope may call. */
  const UNSCOPED = [
    'GET /v1/key',
    'GET /v1/models',
    'GET /v1beta/models',
    'GET /v1/models/{model}',
    'GET /v1beta/models/{model}',
  ];

  test.each(ENDPOINTS)('$method $path has one, or every key may call it', ({ method, path, scope }) => {
    expect(scope === undefined).toBe(UNSCOPED.includes(`${method} ${path}`));
  });

  test.each([
    ['POST', '/v1/messages', 'chat'],
    ['POST', '/v1/messages/count_tokens', 'chat'],
    ['POST', '/v1/messages/batches', 'batches'],
    ['GET', '/v1/messages/batches/msgbatch_1/results', 'batches'],
    ['GET', '/v1/responses/resp_1', 'chat'],
    ['POST', '/v1/files/file-1/delete', 'files'],
    ['POST', '/v2/rerank', 'rerank'],
    ['POST', '/v1/audio/speech', 'audio'],
    ['POST', '/v1/images/edits', 'images'],
    ['GET', '/v1/videos', 'videos'],
    ['POST', '/v1beta/models/google/gemini:countTokens', 'chat'],
    ['POST', '/v1beta/models/google/gemini%3AbatchEmbedContents', 'embeddings'],
    ['POST', '/v1/audio/gemini:generateContent', 'chat'],
    ['POST', '/v1/images-inc/gemini%3astreamGenerateContent', 'chat'],
    ['POST', '/v1/files/gemini:embedContent', 'embeddings'],
    ['POST', '/v1/reranker/gemini', 'chat'],
    ['POST', '/v1/embeddings', 'embeddings'],
    ['POST', '/v1/moderations', 'moderations'],
    ['GET', '/v1/models/openai/gpt-5.5', undefined],
  ])('%s %s needs %s', (method, path, scope) => {
    expect(scopeOfCall(method, path)).toBe(scope);
    expect(isInScope({ scopes: ['billing'] }, scopeOfCall(method, path))).toBe(scope === undefined);
    expect(isInScope({ scopes: [] }, scopeOfCall(method, path))).toBe(true);
  });
});

test('each endpoint is declared once, and its own path finds it', () => {
  const sample = (path: string) => path.replace(/\{model\}/, 'openai/gpt-x').replace(/\{\w+\}/g, 'id-1');
  expect(ENDPOINTS.map(({ method, path }) => findEndpoint(method, sample(path)))).toEqual(ENDPOINTS);
});
