import { isEmpty } from './missing-parameter';

/**
 * An empty list counts as an empty value (spec 4, rule 4), which for the model is `invalid_model`, and no wrong type.
 */
export function withoutEmptyModel<Body extends Readonly<Record<string, unknown>>>(body: Body): Body {
  return body.model !== undefined && isEmpty(body.model) ? { ...body, model: null } : body;
}
