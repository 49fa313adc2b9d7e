/**
 * A JSON object, written member by member; undefined ones are left out. V8's `JSON.stringify` has a quick way
 * that gives up at a value nested more than about ten deep, as schemas of tools are, and then all is written
 * once more: so only the member with that value is.
 */
export function writeMembers(members: object): string {
  let json = '';
  for (const [key, value] of Object.entries(members)) {
    const written = JSON.stringify(value);
    if (written !== undefined) json += `${json === '' ? '' : ','}${JSON.stringify(key)}:${written}`;
  }
  return `{${json}}`;
}
