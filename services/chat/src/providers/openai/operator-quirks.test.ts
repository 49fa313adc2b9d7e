import { PRESETS, quirksSchema } from '@gateway/providers';
import { expect, test } from '@jest/globals';
import { withOperatorQuirks } from './operator-quirks';
import { QUIRKS } from './quirks';

test('a provider without quirks of its own has those of any compatible server', () => {
  expect(withOperatorQuirks(QUIRKS.compatible, {})).toEqual(QUIRKS.compatible);
  expect(withOperatorQuirks(QUIRKS.openai, {})).toEqual(QUIRKS.openai);
});

/** A value of each quirk that differs from the default. */
const OTHER = {
  responses: true,
  max_tokens_field: 'max_completion_tokens',
  stream_options: false,
  usage_member: 'x_groq',
  reasoning_tokens: 'separate',
  cached_tokens: 'included',
  think_tags: true,
  reasoning_replay: 'reasoning',
  thinking_switch: 'thinking',
  dropped_parameters: ['seed'],
  dropped_while_thinking: ['temperature'],
  dropped_message_fields: ['refusal'],
  required_tool_choice: 'any',
  named_tool_choice: 'auto',
  string_content: true,
  max_temperature: 1,
  developer_role: true,
  documents: 'none',
  models_path: '/list',
  completions_path: '/fim',
  rerank_path: '/v2/rerank',
  rerank_top_field: 'top_k',
  embedding_base64: true,
  embedding_dimensions_field: 'output_dimension',
  embedding_input_type: true,
};

test.each(Object.keys(quirksSchema.shape))('the quirk %s changes how a provider is called', (quirk) => {
  const quirks = quirksSchema.parse({ [quirk]: OTHER[quirk as keyof typeof OTHER] });
  expect(Object.keys(quirks)).toEqual([quirk]);
  expect(withOperatorQuirks(QUIRKS.compatible, quirks)).not.toEqual(QUIRKS.compatible);
});

test('none removes what the provider would otherwise have', () => {
  const quirks = withOperatorQuirks(
    { ...QUIRKS.openai, reasoningReplay: 'reasoning' },
    { reasoning_replay: 'none', documents: 'none', responses: false },
  );
  expect(quirks).not.toHaveProperty('reasoningReplay');
  expect(quirks).not.toHaveProperty('documentPart');
  expect(quirks).not.toHaveProperty('responses');
});

test('every stream of a preset reports usage on request', () => {
  const unasked = [...PRESETS.values()].filter(({ quirks }) => quirks?.stream_options === false);
  expect(unasked).toEqual([]);
});
