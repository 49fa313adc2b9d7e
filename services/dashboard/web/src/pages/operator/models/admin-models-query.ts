import { queryOptions } from '@tanstack/react-query';
import { type AdminModel, listAdminModels } from '../../../api/admin-models';

const PAGE_MODELS = 1_000;
const MAX_PAGES = 10;

/** The whole catalog: it is small, and filtered in the browser. */
export const adminModelsQuery = queryOptions({
  queryKey: ['admin', 'models'],
  queryFn: async (): Promise<readonly AdminModel[]> => {
    const models: AdminModel[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, next_cursor } = await listAdminModels(cursor, PAGE_MODELS);
      models.push(...data);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    return models;
  },
});
