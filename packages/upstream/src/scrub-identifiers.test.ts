import { expect, test } from '@jest/globals';
import { scrubIdentifiers } from './scrub-identifiers';

test.each([
  ['Failed to fetch https://10.1.2.3:8443/a?key=1 in time.', 'Failed to fetch [url] in time.'],
  ['gs://bucket-of-ours/file is missing', '[url] is missing'],
  ['connect 10.20.30.40:6379 failed', 'connect [address] failed'],
  ['upstream fd00:12::1 reset', 'upstream [address] reset'],
  ['upstream [2001:db8::5]:443 reset', 'upstream [[address]]:443 reset'],
  ['pod inference-7.prod.svc.cluster.local is down', 'pod [host] is down'],
  ['no route to api-internal.openai.com:443', 'no route to [host]'],
  ['redis-master-0:6379 refused', '[host] refused'],
  ['localhost:8000 refused', '[host] refused'],
  ['Ask ops.team@example.com about it', 'Ask [email] about it'],
  ['Project projects/123456789012 lacks access', 'Project [id] lacks access'],
  ['project number 123456789012 lacks access', '[id] lacks access'],
  ['quota of organization b1946ac9-2492-4d23-8c3a-0f1f2a3b4c5d', 'quota of [id]'],
  [
    'request for proj_AbC123xyz, org-AbC123, org-AbC and user-9aBcDeFg',
    'request for [id], [id], [id] and [id]',
  ],
  ["consumer 'project_number:123456789012' lacks access", "consumer '[id]' lacks access"],
  ['project_id: 12345678 is closed', '[id] is closed'],
  ['{"project_id": "my-project-1"}', '{"[id]"}'],
  ['no access to arn:aws:bedrock:us-east-1:123456789012:model/x here', 'no access to [id] here'],
  ['connect ECONNREFUSED redis:6379', 'connect ECONNREFUSED [host]'],
  ['cannot connect to redis:6379', 'cannot connect to [host]'],
  ['getaddrinfo ENOTFOUND vllm', 'getaddrinfo ENOTFOUND [host]'],
  ['cannot reach llama.home: timeout', 'cannot reach [host]: timeout'],
  ['upstream mybox.local is down', 'upstream [host] is down'],
  [
    'response.example.app:8443 is down; my_db.prod.local:5432 too',
    'response.example.app:8443 is down; [host] too',
  ],
  ['see api.minimax.io or docs.x.ai.', 'see [host] or [host].'],
  ['::1 and ::ffff:10.0.0.1 and fd00::1: refused', '[address] and [address] and [address]: refused'],
  ['key sk-proj-Ab_cD-123abcDEF456 and key_a1b2c3d4e5', 'key [key] and [key]'],
  ['token gsk_abcdefgh12345 and AIzaSyA1234567890abcdefghij', 'token [key] and [key]'],
])('scrubs %s to %s', (message, scrubbed) => {
  expect(scrubIdentifiers(message)).toBe(scrubbed);
});

test.each([
  "Invalid value for 'messages[0].content.0.text': expected a string.",
  'messages.3.content.1.image_url: must be at most 20 MB',
  'max_tokens: 100000 > 64000, which is the maximum for claude-sonnet-4-5-20250929',
  'This model (gpt-5.5-2026-04-01) takes at most 4 stop sequences.',
  'tools.0.function.parameters is not valid under JSON Schema 2020-12',
  'temperature must be between 0.0 and 2.0',
  'started at 12:30:45 and timed out',
  'tools.0.input_schema.properties.address.home: invalid',
  'response.app is bad',
  'Unknown name "key_frames_count": cannot find field',
  'properties.user_address_line1 is missing',
  'properties.user_address1 is missing',
  'messages.0.user_location_2_latitude is missing',
  "Field 'address.home' of config.dev is unknown",
  'unexpected element config.dev',
  'getaddrinfo failed for this model',
  'java.io.IOException: closed',
  'not enabled for organizations gpt-4o',
  'an org-wide limit of the organization gpt-4o-2024-08-06',
  'std::bad_alloc',
  'Foo::Bar and dead::beef',
  'items[1::2] and 12:30',
  'no match for :: in the text',
  'the organization chart is empty; team members are missing',
])('leaves %s unchanged', (message) => {
  expect(scrubIdentifiers(message)).toBe(message);
});

test.each([
  'a',
  'a.',
  'a-',
  'a_',
  '1.',
  '1',
  ':',
  '::1g',
  ':0',
  'x@',
  'sk-a',
  'user_a',
  'team:',
  'team id ',
  'project-1 ',
  'arn:',
  'a.home ',
  'connect ',
  'connect a-',
  'getaddrinfo ',
  'ECONNA',
  'eyJ-.',
  'http:/',
])('scrubs 100 kB of %j in linear time', (piece) => {
  const startedAtMs = performance.now();
  scrubIdentifiers(`${piece.repeat(100_000 / piece.length)}!g`);
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});
