/** Unacknowledged reply bytes that one call may have in transit. */
export const LINK_REPLY_WINDOW_BYTES = 256 * 1024;
/** The same for a streamed request body. Smaller, because uploads are few and large, and bytes in transit are copied. */
export const LINK_REQUEST_WINDOW_BYTES = 128 * 1024;
/** Largest chunk of a body or reply in one frame. */
export const LINK_SLICE_BYTES = 128 * 1024;
