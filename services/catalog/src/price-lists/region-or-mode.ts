/** What an operator sees of prices for calls that ask for another region or mode. */
export const REGION_OR_MODE = 'region or mode';

/** What a multiplier can be of in every call. Any other is of calls that ask for another region or mode, such as FedRAMP. */
const PART_OF_EVERY_CALL =
  /^(input|output|tokens?|cached?|context|reasoning|thinking|images?|audio|videos?|requests?|peak|hours?|times?|days?|weekends?)$/;

/** Whether a field of a list is a multiplier for calls that ask for another region or mode. */
export function isOfRegionOrMode(field: string): boolean {
  const words = field.split('_');
  if (words.length === 1 || !(words.includes('multiplier') || words.includes('uplift'))) return false;
  return !words.some((word) => PART_OF_EVERY_CALL.test(word));
}
