import type { Model, ModelType } from '../../api/models';

const OUTPUTS: readonly (readonly [ModelType, string])[] = [
  ['chat', 'text'],
  ['image', 'image'],
  ['video', 'video'],
  ['embedding', 'embedding'],
  ['speech', 'speech'],
  ['transcription', 'transcription'],
];

export const KIND_NAMES: Readonly<Record<ModelType, string>> = {
  chat: 'Chat',
  image: 'Image',
  video: 'Video',
  embedding: 'Embedding',
  speech: 'Speech',
  transcription: 'Transcription',
};

/** Returns the model's types; a model that generates text and images has both. */
export const kindsOf = ({ output_modalities }: Pick<Model, 'output_modalities'>): ModelType[] =>
  OUTPUTS.filter(([, output]) => output_modalities.includes(output)).map(([kind]) => kind);

/** Returns the part of the slug before the slash. */
export const providerOf = ({ slug }: Pick<Model, 'slug'>): string => slug.split('/')[0]!;
