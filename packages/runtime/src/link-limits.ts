/** Reply bytes that may be under way to the caller of one call before it says that it took some. */
export const LINK_WINDOW_BYTES = 256 * 1024;
/** Largest piece of a body or reply in one frame. */
export const LINK_SLICE_BYTES = 128 * 1024;
