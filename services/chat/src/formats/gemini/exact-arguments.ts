import type { ParsedObject } from '@gateway/json-body';
import { parseExact } from '../../json/exact-json';
import { camelCase } from './camel-case';
import type { Content, Part } from './gemini-schema';

/** Returns the contents with the exact digits of long integers in calls and their results, read from the body's bytes. */
export function withExactArguments(
  contents: readonly Content[],
  bytes: Buffer,
  members: ParsedObject['members'],
): readonly Content[] {
  const member = members.find(({ key }) => key === 'contents');
  if (!member?.hasLongInteger) return contents;
  const exact = camelCase([parseExact(bytes.toString('utf8', member.valueStart, member.valueEnd))].flat());
  return contents.map((content, index) => ({
    ...content,
    parts: content.parts.map((part, at) => exactPart(part, (exact as Content[])[index]?.parts[at])),
  }));
}

function exactPart(part: Part, exact: Part | undefined): Part {
  const { functionCall, functionResponse } = part;
  return {
    ...part,
    ...(functionCall && { functionCall: { ...functionCall, args: exact?.functionCall?.args } }),
    ...(functionResponse && {
      functionResponse: { ...functionResponse, response: exact?.functionResponse?.response },
    }),
  };
}
