import { isEmpty } from './missing-parameter';

/** An empty list counts as an empty value, which for the model is `invalid_model` rather than a wrong type. */
export function withoutEmptyModel<Body extends Readonly<Record<string, unknown>>>(body: Body): Body {
  return body.model !== undefined && isEmpty(body.model) ? { ...body, model: null } : body;
}
