import type { Model, ModelType, OptedInModel } from '../../../src/api/models';
import { apiGet, apiPost, type Page } from './client';

export type * from '../../../src/api/models';

/** The types that the playground can call. */
export type PlaygroundType = Extract<ModelType, 'chat' | 'image' | 'video'>;

/** The slash stays unencoded. */
export const modelPath = (slug: string): string => slug.split('/').map(encodeURIComponent).join('/');

/** Without delisted models. */
export const listModels = (type?: ModelType, cursor?: string, limit?: number) =>
  apiGet<Page<Model>>('models', { type, cursor, limit });
/** A delisted model names its successor. */
export const getModel = (slug: string) => apiGet<Model>(`models/${modelPath(slug)}`);
export const optIn = (slug: string) => apiPost<OptedInModel>(`models/${modelPath(slug)}/opt-in`);
