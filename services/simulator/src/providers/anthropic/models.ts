// Any model name is accepted; the list contains only these.
const MODELS = ['sim-chat', 'sim-preview', 'claude-opus-4-8', 'claude-haiku-4-5'];

export const toModel = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: '2026-01-01T00:00:00Z',
  deprecated_at: null,
  retires_at: null,
  lifecycle: 'active',
  line: null,
  max_input_tokens: 200_000,
  max_tokens: 64_000,
  capabilities: null,
});

export const listModels = () => ({
  data: MODELS.map(toModel),
  has_more: false,
  first_id: MODELS[0],
  last_id: MODELS.at(-1),
});
