/**
 * An empty list counts as an empty value (spec 4, rule 4), which for the model is `invalid_model`, and no wrong type.
 */
export function withoutEmptyModel<Body extends Record<string, unknown>>(body: Body): Body {
  return Array.isArray(body.model) && body.model.length === 0 ? { ...body, model: null } : body;
}
