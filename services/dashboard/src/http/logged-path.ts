const MAX_LENGTH = 200;
/** What follows is a capability: whoever has the link may have the file. */
const LINK = /(\/files\/).+$/is;

/** A path as it may stand in the log: of a bounded length, and without what opens something. */
export const loggedPath = (path: string): string => path.replace(LINK, '$1…').slice(0, MAX_LENGTH);
