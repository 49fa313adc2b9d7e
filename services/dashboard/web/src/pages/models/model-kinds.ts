import type { Model, ModelType, PlaygroundType } from '../../api/models';

const OUTPUTS: readonly (readonly [ModelType, string])[] = [
  ['chat', 'text'],
  ['image', 'image'],
  ['video', 'video'],
  ['embedding', 'embedding'],
  ['moderation', 'moderation'],
  ['rerank', 'rerank'],
  ['speech', 'speech'],
  ['transcription', 'transcription'],
];

export const KIND_NAMES: Readonly<Record<ModelType, string>> = {
  chat: 'Chat',
  image: 'Image',
  video: 'Video',
  embedding: 'Embedding',
  moderation: 'Moderation',
  rerank: 'Rerank',
  speech: 'Speech',
  transcription: 'Transcription',
};

/** Returns whether the playground can call models of this type. */
export const isPlayable = (kind: ModelType): kind is PlaygroundType =>
  kind === 'chat' || kind === 'image' || kind === 'video';

/** Returns the model's types; a model that generates text and images has both. */
export const kindsOf = ({ output_modalities }: Pick<Model, 'output_modalities'>): ModelType[] =>
  OUTPUTS.filter(([, output]) => output_modalities.includes(output)).map(([kind]) => kind);

/** Returns the part of the slug before the slash. */
export const providerOf = ({ slug }: Pick<Model, 'slug'>): string => slug.split('/')[0]!;
