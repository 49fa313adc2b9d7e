/** Reply bytes that may be under way to the caller of one call before it says that it took some. */
export const LINK_WINDOW_BYTES = 256 * 1024;
/** The same of a streamed body, the other way. Less, because uploads are few and large, and what waits is copied. */
export const LINK_BODY_WINDOW_BYTES = 128 * 1024;
/** Largest piece of a body or reply in one frame. */
export const LINK_SLICE_BYTES = 128 * 1024;
