/** Appended to the prompt for providers without masks, which get the mask as the last image. */
export const MASK_NOTE =
  'The last image is a mask of the first one, not something to draw: change only what is transparent in it.';
