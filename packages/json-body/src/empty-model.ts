import { isEmpty } from './missing-parameter';

/**
 * Returns the body with an empty model replaced by null, so that it is refused with `invalid_model`. An empty list counts as
 * an empty model rather than as a value of the wrong type.
 */
export function withoutEmptyModel<Body extends Readonly<Record<string, unknown>>>(body: Body): Body {
  return body.model !== undefined && isEmpty(body.model) ? { ...body, model: null } : body;
}
