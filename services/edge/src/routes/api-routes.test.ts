import { describe, expect, test } from '@jest/globals';
import { findApiRoute } from './api-routes';

describe('the API route table', () => {
  test.each([
    ['POST', '/v1/chat/completions', 'chat_completions'],
    ['GET', '/v1/models', 'models'],
    ['GET', '/v1/models/sim', 'model'],
    ['GET', '/v1/models/sim/chat', 'model'],
    ['GET', '/v1/models/sim%2Fchat', 'model'],
    ['GET', '/v1/models/openai/gpt-5.5', 'model'],
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
  ])('routes %s %s', (method, path, name) => {
    expect(findApiRoute(method, path)?.name).toBe(name);
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
    ['GET', '/'],
    ['GET', ''],
    ['GET', '*'],
  ])('has no route for %s %s', (method, path) => {
    expect(findApiRoute(method, path)).toBeUndefined();
  });
});
