/** Whether a tool of the format of responses searches the web. Dated versions are the same tool. */
export const isWebSearchType = (type: unknown): boolean =>
  typeof type === 'string' && /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type);
