// Any model name is served; these are only what a list shows.
const MODELS = ['sim-chat', 'sim-preview', 'gpt-5.5', 'gpt-5-mini', 'sim-image', 'gpt-image-2'];

const CREATED_SECONDS = 1_767_225_600;

const toModel = (id: string) => ({
  id,
  object: 'model',
  created: CREATED_SECONDS,
  owned_by: 'simulator',
});

export function listModels() {
  return { object: 'list', data: MODELS.map(toModel) };
}

export function getModel(id: string) {
  return toModel(id);
}
