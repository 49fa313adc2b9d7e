const NAMES: Readonly<Record<string, string>> = {
  openai: 'OpenAI-compatible',
  anthropic: 'Anthropic',
  gemini: 'Google Gemini',
  mistral: 'Mistral AI',
  deepseek: 'DeepSeek',
  xai: 'xAI',
  cohere: 'Cohere',
  bedrock: 'AWS Bedrock',
  'azure-openai': 'Azure OpenAI',
  vertex: 'Gemini on Vertex AI',
  'vertex-anthropic': 'Claude on Vertex AI',
  bfl: 'Black Forest Labs (images)',
  minimax: 'MiniMax (videos)',
  kling: 'Kling (videos)',
  dashscope: 'Alibaba DashScope (videos)',
};

/** Returns the name of a kind of provider, a format of an API; an unknown kind's own. */
export const kindName = (kind: string): string => NAMES[kind] ?? kind;
