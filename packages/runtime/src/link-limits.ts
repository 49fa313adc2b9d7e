/** Bytes of one call's reply, or of its streamed body, that may be under way before the other side says that it took some. */
export const LINK_WINDOW_BYTES = 256 * 1024;
/** Largest piece of a body or reply in one frame. */
export const LINK_SLICE_BYTES = 128 * 1024;
