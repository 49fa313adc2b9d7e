// Any model name is accepted; the list contains only these.
const MODELS = ['sim-chat', 'sim-preview', 'gemini-3-pro', 'gemini-3-flash', 'gemini-3-pro-image'];

export const toModel = (id: string) => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
});

export const listModels = () => ({ models: MODELS.map(toModel) });
