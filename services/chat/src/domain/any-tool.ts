/** Mistral's word for the tool choice `required`, which its clients send by default. */
export const ANY_TOOL = 'any';
