import { topLevelMembers, withMembers } from '@gateway/json-body';
import { isObject } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { flatSchema } from '../domain/flat-schema';
import { base64Source, fitDataUrl, mediaTypeOf, unbrokenBase64 } from '../domain/media-content';
import { isOtherRoot, objectRoot } from '../domain/object-output';
import { parseExact } from '../json/exact-json';
import { type JsonPath, mapAt, onStrings } from '../json/map-at';
import { renamedTools } from './fitted-tools';
import { PASSED_PLACES } from './passed-places';

type Change = readonly [JsonPath, (value: unknown) => unknown];

/**
 * Returns the body of a call that passes through with the names and parameters of tools, the ids of calls and the inline media that the
 * provider accepts; the same bytes if it accepts all of them.
 * @param upstreamModel undefined: what all models of the provider accept
 */
export function fittedBody(
  body: Buffer,
  request: CallerRequest,
  provider: ChatProvider,
  upstreamModel?: string,
): Buffer {
  const changes = changesOf(request, provider, upstreamModel);
  if (changes.length === 0) return body;
  const members = topLevelMembers(body);
  const values = new Map<string, string | undefined>();
  for (const { key, valueStart, valueEnd } of members) {
    const own = changes.filter(([path]) => path[0] === key);
    if (own.length === 0) continue;
    const value = parseExact(body.toString('utf8', valueStart, valueEnd));
    const fitted = own.reduce((changed, [path, map]) => mapAt(changed, path, map, 1), value);
    if (fitted !== value) values.set(key, JSON.stringify(fitted));
  }
  return withMembers(body, members, values);
}

/** Returns the changes that have an effect on the caller's own body. */
function changesOf(
  request: CallerRequest,
  provider: ChatProvider,
  upstreamModel: string | undefined,
): readonly Change[] {
  const { parsed, wire, size } = request;
  const { names, ids, output, parameters, media } = PASSED_PLACES[wire];
  const renamed = renamedTools(request, provider);
  const { fitId, flatParameters } = provider.toolLimits ?? {};
  const hasMedia = size.hasMedia || size.images || size.pdfs || size.audio;
  const possible = [
    ...(fitId ? ids.map((path): Change => [path, onStrings((id) => fitId(id, upstreamModel))]) : []),
    ...(flatParameters ? parameters.map((path): Change => [path, flatParametersOf]) : []),
    ...(provider.objectOutput === 'always' ? output.map((path): Change => [path, objectRootOf]) : []),
    ...(hasMedia ? media.map((path): Change => [path, fitMedia]) : []),
  ];
  return [
    ...(renamed ? names.map((path): Change => [path, onStrings((name) => renamed.get(name) ?? name)]) : []),
    ...possible.filter(([path, map]) => mapAt(parsed, path, map) !== parsed),
  ];
}

const flatParametersOf = (value: unknown): unknown => (isObject(value) ? flatSchema(value) : value);

/** Returns the schema of an output as that of an object; the same value if it is one. */
export const objectRootOf = (value: unknown): unknown =>
  isObject(value) && isOtherRoot(value) ? objectRoot(value) : value;

/** Returns inline media with the type of its bytes and without line breaks; the same value if nothing changes. */
function fitMedia(value: unknown): unknown {
  if (typeof value === 'string') return fitDataUrl(value);
  if (!isObject(value) || typeof value.data !== 'string') return value;
  const { data, media_type: anthropic, mimeType: google, mime_type = google, format } = value;
  if (typeof anthropic === 'string') {
    if (value.type !== 'base64') return value;
    const { mediaType, data: plain } = base64Source(anthropic, data);
    return changed(value, { media_type: mediaType, data: plain });
  }
  const unbroken = unbrokenBase64(data);
  if (typeof mime_type === 'string') {
    const field = value.mimeType === undefined ? 'mime_type' : 'mimeType';
    return changed(value, { [field]: mediaTypeOf(mime_type, data), data: unbroken });
  }
  if (typeof format !== 'string') return value;
  const type = mediaTypeOf(`audio/${format}`, data);
  return changed(value, { format: type.slice('audio/'.length), data: unbroken });
}

function changed(
  value: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, unknown>>,
): unknown {
  const isSame = Object.entries(members).every(([key, member]) => value[key] === member);
  return isSame ? value : { ...value, ...members };
}
