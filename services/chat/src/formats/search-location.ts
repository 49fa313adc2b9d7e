import { z } from 'zod';

const place = z.string().max(256).nullish();

/** Where the user of a search approximately is; every format has these members. */
export const searchLocation = { city: place, region: place, country: place, timezone: place };

type SearchLocation = z.output<z.ZodObject<typeof searchLocation>>;

/** Returns the members that are set; undefined if none is. */
export function toLocation(location: SearchLocation | null | undefined): Record<string, string> | undefined {
  const { city, region, country, timezone } = location ?? {};
  const members = Object.entries({ city, region, country, timezone });
  const named = members.filter((member): member is [string, string] => !!member[1]);
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}
