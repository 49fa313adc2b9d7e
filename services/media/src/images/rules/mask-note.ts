/** For providers that have no masks: the mask goes along as the last image, and this after the prompt. */
export const MASK_NOTE =
  'The last image is a mask of the first one, not something to draw: change only what is transparent in it.';
