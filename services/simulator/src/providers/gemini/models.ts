// Any model name is served; these are only what a list shows.
const MODELS = ['sim-chat', 'sim-preview', 'gemini-3-pro', 'gemini-3-flash', 'gemini-3-pro-image'];

const toModel = (id: string) => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
});

export function listModels() {
  return { models: MODELS.map(toModel) };
}

export function getModel(id: string) {
  return toModel(id);
}
