/** A model as the entries of `KeyContext.allowed_models` are compared with it. */
export interface MatchedModel {
  readonly slug: string;
  readonly outputModalities: readonly string[];
}

const TYPE = 'type:';

/** Returns the output modality of the models of a type, which is the type's name, except that chat models output text. */
export const outputOfType = (type: string): string => (type === 'chat' ? 'text' : type);

/** Whether an allowlist allows a model: an empty one does, and one with a slug, a pattern or a type that the model matches. */
export const allowsModel = (allowedModels: readonly string[], model: MatchedModel): boolean =>
  allowedModels.length === 0 || allowedModels.some((entry) => matches(entry, model));

function matches(entry: string, { slug, outputModalities }: MatchedModel): boolean {
  if (entry === slug) return true;
  if (entry.startsWith(TYPE)) return outputModalities.includes(outputOfType(entry.slice(TYPE.length)));
  const star = entry.indexOf('*');
  if (star === -1) return false;
  // Lengths first, because the texts before and after the star may not overlap.
  return (
    slug.length >= entry.length - 1 &&
    slug.startsWith(entry.slice(0, star)) &&
    slug.endsWith(entry.slice(star + 1))
  );
}
