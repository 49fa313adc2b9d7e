// Any model name is accepted; the list contains only these.
const MODELS = [
  'sim-chat',
  'sim-preview',
  'gpt-5.5',
  'gpt-5-mini',
  'sim-image',
  'text-embedding-3-small',
  'gpt-image-2',
  'gpt-4o-mini-tts',
  'gpt-4o-transcribe',
];

const CREATED_SECONDS = 1_767_225_600;

export const toModel = (id: string) => ({
  id,
  object: 'model',
  created: CREATED_SECONDS,
  owned_by: 'simulator',
});

export const listModels = () => ({ object: 'list', data: MODELS.map(toModel) });
